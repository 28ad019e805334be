//go:build hostile

package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
)

// Hosts of the neighbour, whose routes and backends hostile_test.go makes. HTTPS is served for rotatingHost alone, whose paths lead to the same backends.
const (
	upgradeHost  = "upgrade.example.com"
	guardedHost  = "guarded.example.com"
	hungHost     = "hung.example.com"
	largeHost    = "large.example.com"
	mirroredHost = "mirrored.example.com"
	refusingHost = "refusing.example.com"
)

// clientAttacks are run by name, in a process and a network of their own, until their context ends.
var clientAttacks = map[string]func(context.Context, *attackers){
	"refused-upgrades":       refusedUpgrades,
	"other-upgrades":         otherUpgrades,
	"paths":                  disguisedPaths,
	"methods":                strangeMethods,
	"hung-backend":           hungBackend,
	"hung-mirror":            hungMirror,
	"refused-connections":    refusedConnections,
	"large-heads":            largeHeads,
	"silent-clients":         silentClients,
	"half-hellos":            halfHellos,
	"idle-connections":       idleConnections,
	"idle-https":             idleHTTPS,
	"unread-responses":       unreadResponses(plain, largeHost),
	"unread-responses-https": unreadResponses(secure, rotatingHost),
	"unread-responses-h2":    h2UnreadResponses,
	"slow-reading":           slowReading,
	"slow-reading-https":     slowReadingHTTPS,
	"slow-windows-h2":        slowWindowsH2,
	"slow-heads":             slowHeads(plain, guardedHost),
	"slow-heads-https":       slowHeads(secure, rotatingHost),
	"hidden-heads":           hiddenHeads,
	"slow-bodies":            slowBodies(plain, guardedHost),
	"slow-bodies-https":      slowBodies(secure, rotatingHost),
	"late-bodies-https":      lateBodies,
	"pod-pages":              podPages,
	"h2-resets":              h2Resets,
	"h2-control":             h2ControlFrames,
	"h2-floods":              h2Floods,
	"h2-bodies":              h2Bodies,
	"h2-no-window":           h2NoWindow,
}

// The backend takes the connection and never answers, whichever way its requests come.
func hungBackend(ctx context.Context, a *attackers) {
	var attempts []func()
	for _, d := range doors(hungHost) {
		attempts = append(attempts, func() {
			c, err := d.connect(ctx, a)
			if err != nil {
				return
			}
			defer c.Close()
			fmt.Fprintf(c, "GET /hung HTTP/1.1\r\nHost: %s\r\n\r\n", d.host)
			a.wait(ctx, c)
		})
	}
	attempts = append(attempts, func() {
		c, framer, err := a.dialH2(ctx, rotatingHost)
		if err != nil {
			return
		}
		defer c.Close()
		if framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headerBlock(rotatingHost, "/hung"), EndStream: true, EndHeaders: true}) == nil {
			a.wait(ctx, c)
		}
	})
	a.inTurn(ctx, 100*time.Millisecond, attempts)
}

// The backend answers; the one that gets the copies never does.
// What the hung backend of the attack before still holds of the namespace's threads, its requests may be refused for.
func hungMirror(ctx context.Context, a *attackers) {
	attempts := []func(){func() { a.expectH2(ctx, "a mirrored request", h2Get("/mirrored"), oneOf(200, 503)) }}
	for _, d := range doors(mirroredHost) {
		attempts = append(attempts, func() { a.expect(ctx, d, get(d.host, "/mirrored"), "a mirrored request", oneOf(200, 503)) })
	}
	a.inTurn(ctx, 20*time.Millisecond, attempts)
}

// Nothing listens where the endpoints are.
func refusedConnections(ctx context.Context, a *attackers) {
	d := doors(refusingHost)[0]
	a.every(ctx, 20*time.Millisecond, func() {
		a.expect(ctx, d, get(d.host, "/"), "a request that no endpoint takes", oneOf(503))
	})
}

func silentClients(ctx context.Context, a *attackers) {
	for _, port := range []string{":80", ":443"} {
		a.held(ctx, 400, func() {
			c, err := a.dial(ctx, a.Gateway+port)
			if err != nil {
				return
			}
			defer c.Close()
			a.wait(ctx, c)
		})
	}
}

// The beginning of a ClientHello, which says how long it is, and then nothing: it has sent something, unlike those who are silent.
func halfHellos(ctx context.Context, a *attackers) {
	half := append([]byte{22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3}, make([]byte, 120)...)
	a.held(ctx, 400, func() {
		c, err := a.dial(ctx, a.Gateway+":443")
		if err != nil {
			return
		}
		defer c.Close()
		if _, err := c.Write(half); err == nil {
			a.wait(ctx, c)
		}
	})
}

// More HTTPS connections than a pod of 512 MiB has room for, each of which has asked once and stays. Every second one speaks HTTP/2.
func idleHTTPS(ctx context.Context, a *attackers) {
	open := []func(){
		func() {
			c, err := secure(ctx, a)
			if err != nil {
				return
			}
			defer c.Close()
			if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+rotatingHost+"\r\n\r\n"); err == nil {
				a.wait(ctx, c)
			}
		},
		func() {
			c, framer, err := a.dialH2(ctx, rotatingHost)
			if err != nil {
				return
			}
			defer c.Close()
			if framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headerBlock(rotatingHost, "/"), EndStream: true, EndHeaders: true}) == nil {
				a.wait(ctx, c)
			}
		},
	}
	a.inTurn(ctx, 30*time.Millisecond, open)
}

// More connections than a pod of 512 MiB keeps. Every second one has asked once.
func idleConnections(ctx context.Context, a *attackers) {
	asked := false
	var lock sync.Mutex
	a.every(ctx, 2*time.Millisecond, func() {
		c, err := plain(ctx, a)
		if err != nil {
			return
		}
		defer c.Close()
		lock.Lock()
		asked = !asked
		asks := asked
		lock.Unlock()
		if asks {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+guardedHost+"\r\n\r\n")
		}
		a.wait(ctx, c)
	})
}

func unreadResponses(connect connector, host string) func(context.Context, *attackers) {
	return func(ctx context.Context, a *attackers) {
		a.held(ctx, 140, func() {
			c, err := connect(ctx, a)
			if err != nil {
				return
			}
			defer c.Close()
			_ = tcpOf(c).SetReadBuffer(4096)
			fmt.Fprintf(c, "GET /large HTTP/1.1\r\nHost: %s\r\n\r\n", host)
			// Nothing is read. A write tells whether the gateway has given up.
			for ctx.Err() == nil {
				pause(ctx, time.Second)
				if _, err := c.Write([]byte("\r\n")); err != nil {
					return
				}
			}
		})
	}
}

// A hundred bytes a second of a large response: never nothing, and never enough. Every second client comes over HTTPS.
func slowReading(ctx context.Context, a *attackers) {
	for _, d := range doors(largeHost) {
		a.held(ctx, 70, func() {
			c, err := d.connect(ctx, a)
			if err != nil {
				return
			}
			defer c.Close()
			_ = tcpOf(c).SetReadBuffer(4096)
			fmt.Fprintf(c, "GET /large HTTP/1.1\r\nHost: %s\r\n\r\n", d.host)
			piece := make([]byte, 100)
			for ctx.Err() == nil {
				pause(ctx, time.Second)
				if _, err := io.ReadFull(c, piece); err != nil {
					return
				}
			}
		})
	}
}

// A kilobyte every five seconds of a large response over HTTPS. It is read below TLS, which would take a record of 16 KiB at once.
func slowReadingHTTPS(ctx context.Context, a *attackers) {
	a.held(ctx, 140, func() {
		a.lag(ctx)
		c, err := secure(ctx, a)
		if err != nil {
			return
		}
		defer c.Close()
		raw := tcpOf(c)
		_ = raw.SetReadBuffer(4096)
		fmt.Fprintf(c, "GET /large HTTP/1.1\r\nHost: %s\r\n\r\n", rotatingHost)
		piece := make([]byte, 1024)
		for ctx.Err() == nil {
			pause(ctx, 5*time.Second)
			if _, err := io.ReadFull(raw, piece); err != nil {
				return
			}
		}
	})
}

func slowHeads(connect connector, host string) func(context.Context, *attackers) {
	return func(ctx context.Context, a *attackers) {
		a.held(ctx, 200, func() { a.drip(ctx, connect, fmt.Sprintf("GET / HTTP/1.1\r\nHost: %s\r\nX-Slow: ", host)) })
	}
}

// The head that never ends comes with a request that is answered.
func hiddenHeads(ctx context.Context, a *attackers) {
	begun := fmt.Sprintf("GET / HTTP/1.1\r\nHost: %s\r\n", guardedHost)
	a.held(ctx, 200, func() { a.drip(ctx, plain, begun+"\r\n"+begun+"X-Slow: ") })
}

func slowBodies(connect connector, host string) func(context.Context, *attackers) {
	return func(ctx context.Context, a *attackers) {
		a.held(ctx, 140, func() {
			a.drip(ctx, connect, fmt.Sprintf("POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n\r\n", host))
		})
	}
}

// Bodies that begin with as much as HAProxy waits for, and drip from then on.
func lateBodies(ctx context.Context, a *attackers) {
	begun := fmt.Sprintf("POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n\r\n", rotatingHost) + strings.Repeat("x", 15000)
	a.held(ctx, 140, func() { a.drip(ctx, secure, begun) })
}

// drip sends the beginning of a request, then a byte a second.
func (a *attackers) drip(ctx context.Context, connect connector, beginning string) {
	c, err := connect(ctx, a)
	if err != nil {
		return
	}
	defer c.Close()
	if _, err := io.WriteString(c, beginning); err != nil {
		return
	}
	for ctx.Err() == nil {
		pause(ctx, time.Second)
		if _, err := c.Write([]byte("x")); err != nil {
			return
		}
	}
}

// What a pod has for its operator and for whoever scrapes it.
func podPages(ctx context.Context, a *attackers) {
	pod := to(net.JoinHostPort(a.Pod, "8081"))
	a.held(ctx, 50, func() {
		c, err := pod(ctx, a)
		if err != nil {
			return
		}
		defer c.Close()
		a.wait(ctx, c)
	})
	for path, want := range map[string]int{"/metrics": 200, "/drain": 404, "/state": 403, "/changes": 403} {
		a.clients.Go(func() {
			a.every(ctx, 100*time.Millisecond, func() {
				// Whoever is one too many gets no answer.
				if status := a.ask(ctx, pod, "POST "+path+" HTTP/1.1\r\nHost: pod\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"); status != 0 && status != want {
					a.problem("POST %s: status %d", path, status)
				}
			})
		})
	}
}
