//go:build hostile

package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
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
	"refused-upgrades":       refusedUpgrades(plain, upgradeHost),
	"refused-upgrades-https": refusedUpgrades(secure, rotatingHost),
	"other-upgrades":         otherUpgrades,
	"paths":                  disguisedPaths,
	"methods":                strangeMethods,
	"hung-backend":           hungBackend,
	"hung-mirror":            hungMirror,
	"refused-connections":    refusedConnections,
	"large-heads":            largeHeads,
	"silent-clients":         silentClients,
	"idle-connections":       idleConnections,
	"unread-responses":       unreadResponses(plain, largeHost),
	"unread-responses-https": unreadResponses(secure, rotatingHost),
	"unread-responses-h2":    h2UnreadResponses,
	"slow-heads":             slowHeads(plain, guardedHost),
	"slow-heads-https":       slowHeads(secure, rotatingHost),
	"hidden-heads":           hiddenHeads,
	"slow-bodies":            slowBodies(plain, guardedHost),
	"slow-bodies-https":      slowBodies(secure, rotatingHost),
	"pod-pages":              podPages,
	"h2-resets":              h2Resets,
	"h2-control":             h2ControlFrames,
}

// The backend takes the connection and never answers.
func hungBackend(ctx context.Context, a *attackers) {
	a.every(ctx, 100*time.Millisecond, func() {
		c, err := plain(ctx, a)
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hungHost)
		a.wait(ctx, c)
	})
}

// The backend answers; the one that gets the copies never does.
func hungMirror(ctx context.Context, a *attackers) {
	a.every(ctx, 20*time.Millisecond, func() {
		a.expect(ctx, get(mirroredHost, "/"), "a mirrored request", func(status int, _ string) bool { return status == 200 })
	})
}

// Nothing listens where the endpoints are.
func refusedConnections(ctx context.Context, a *attackers) {
	a.every(ctx, 20*time.Millisecond, func() {
		a.expect(ctx, get(refusingHost, "/"), "a request that no endpoint takes", func(status int, _ string) bool { return status == 503 })
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
	address := net.JoinHostPort(a.Pod, "8081")
	a.held(ctx, 50, func() {
		c, err := a.dial(ctx, address)
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
				if status := a.ask(ctx, address, "POST "+path+" HTTP/1.1\r\nHost: pod\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"); status != 0 && status != want {
					a.problem("POST %s: status %d", path, status)
				}
			})
		})
	}
}
