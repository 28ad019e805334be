//go:build hostile

package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Request is the head of a request; pseudo-header fields among the last ones come before the others.
func h2Request(method, scheme, authority, path string, more ...hpack.HeaderField) []hpack.HeaderField {
	head := []hpack.HeaderField{{Name: ":method", Value: method}, {Name: ":scheme", Value: scheme}, {Name: ":authority", Value: authority}, {Name: ":path", Value: path}}
	return append(head, more...)
}

// h2Get asks for a path of the neighbour's.
func h2Get(path string, more ...hpack.HeaderField) []hpack.HeaderField {
	return h2Request("GET", "https", rotatingHost, path, more...)
}

func encode(fields []hpack.HeaderField) []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range fields {
		_ = encoder.WriteField(field) // to memory
	}
	return block.Bytes()
}

// headerBlock is the head of a GET.
func headerBlock(host, path string) []byte { return encode(h2Request("GET", "https", host, path)) }

func (a *attackers) dialH2(ctx context.Context, host string, settings ...http2.Setting) (net.Conn, *http2.Framer, error) {
	c, err := a.dialTLS(ctx, host, "h2")
	if err != nil {
		return nil, nil, err
	}
	framer := http2.NewFramer(c, c)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	// What is malformed is what is sent here.
	framer.AllowIllegalWrites = true
	_, err = io.WriteString(c, http2.ClientPreface)
	if err == nil {
		err = framer.WriteSettings(settings...)
	}
	if err != nil {
		_ = c.Close()
		return nil, nil, err
	}
	return c, framer, nil
}

// expectH2 is expect with one request on an HTTP/2 connection of its own.
func (a *attackers) expectH2(ctx context.Context, name string, fields []hpack.HeaderField, good verdict) {
	a.judge(ctx, name+" over HTTP/2", a.exchangeH2(ctx, h2Stream{fields: fields}), good)
}

// h2Stream is what is sent on a stream: a head, and, where the client does not end it with that, data before the answer and behind it.
type h2Stream struct {
	fields      []hpack.HeaderField
	early, late string
}

func (s h2Stream) isOpen() bool { return s.early+s.late != "" }

// exchangeH2 opens a stream on a connection of its own and returns what comes. A stream or connection that is ended for what it asked counts as a 400.
func (a *attackers) exchangeH2(ctx context.Context, stream h2Stream) answered {
	c, framer, err := a.dialH2(ctx, rotatingHost)
	if err != nil {
		return answered{err: err}
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	// A frame holds 16 KiB.
	block := encode(stream.fields)
	first := min(len(block), 16<<10)
	err = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:first], EndStream: !stream.isOpen(), EndHeaders: first == len(block)})
	if err == nil && first < len(block) {
		err = framer.WriteContinuation(1, true, block[first:])
	}
	if err == nil && stream.early != "" {
		err = framer.WriteData(1, false, []byte(stream.early))
	}
	if err != nil {
		return answered{err: err}
	}
	return stream.read(framer)
}

var errRefused = errors.New("the stream was ended")

// read takes frames until the answer has ended, or, in a tunnel, has returned what was sent.
func (s h2Stream) read(framer *http2.Framer) answered {
	var got answered
	var body strings.Builder
	for {
		ended, err := s.readFrame(framer, &got, &body)
		got.body = body.String()
		switch {
		case errors.Is(err, errRefused) && got.status == 0:
			return answered{status: http.StatusBadRequest, body: err.Error()}
		case ended, err != nil && got.status != 0:
			return got
		case err != nil:
			return answered{err: err}
		case s.isOpen() && got.status == http.StatusOK && got.body == s.early+s.late:
			return got
		}
	}
}

func (s h2Stream) readFrame(framer *http2.Framer, got *answered, body *strings.Builder) (ended bool, err error) {
	frame, err := framer.ReadFrame()
	if err != nil {
		return false, err
	}
	switch frame := frame.(type) {
	case *http2.MetaHeadersFrame:
		status, err := strconv.Atoi(frame.PseudoValue("status"))
		if err == nil && status >= 200 {
			got.status = status
		}
		if got.status != 0 && s.late != "" {
			_ = framer.WriteData(1, false, []byte(s.late)) // it may be too late
		}
		return frame.StreamEnded(), nil
	case *http2.DataFrame:
		body.Write(frame.Data())
		return frame.StreamEnded(), nil
	case *http2.RSTStreamFrame:
		return false, fmt.Errorf("%w: %s", errRefused, frame.ErrCode)
	case *http2.GoAwayFrame:
		return false, fmt.Errorf("%w: %s", errRefused, frame.ErrCode)
	case *http2.SettingsFrame:
		if !frame.IsAck() {
			return false, framer.WriteSettingsAck()
		}
	}
	return false, nil
}
