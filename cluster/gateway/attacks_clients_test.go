//go:build hostile

package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Hosts of the neighbour, whose routes and backends hostile_test.go makes.
const (
	upgradeHost = "upgrade.example.com"
	guardedHost = "guarded.example.com"
	hungHost    = "hung.example.com"
	largeHost   = "large.example.com"
)

// clientAttacks are run by name, in a process and a network of their own, until their context ends.
var clientAttacks = map[string]func(context.Context, *attackers){
	"refused-upgrades": refusedUpgrades,
	"paths":            disguisedPaths,
	"methods":          strangeMethods,
	"hung-backend":     hungBackend,
	"silent-clients":   silentClients,
	"unread-responses": unreadResponses,
	"slow-heads":       slowHeads,
	"slow-bodies":      slowBodies,
	"metrics":          metricsReaders,
	"h2-resets":        h2Resets,
	"h2-control":       h2ControlFrames,
}

// The backend refuses the upgrade. Whatever is sent behind it must reach nobody.
func refusedUpgrades(ctx context.Context, a *attackers) {
	a.every(ctx, 100*time.Millisecond, func() {
		c, err := a.dial(ctx, a.Gateway+":80")
		if err != nil {
			return
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		fmt.Fprintf(c, "GET /socket HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", upgradeHost)
		reader := bufio.NewReader(c)
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			a.problem("refused upgrade: %v", err)
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		if response.StatusCode != http.StatusUnauthorized {
			a.problem("refused upgrade: status %d", response.StatusCode)
		}
		fmt.Fprintf(c, "GET /smuggled HTTP/1.1\r\nHost: %s\r\n\r\n", upgradeHost)
		if _, err := http.ReadResponse(reader, nil); err == nil {
			a.problem("refused upgrade: a request behind it was answered")
		}
	})
}

// Every one of these is /admin by some reading, and no reading of them is public.
var disguises = []string{"/admin", "/%61dmin", "//admin", "/./admin", "/public/../admin", "/public/%2e%2e/admin", "/public/..%2fadmin", `/public\..\admin`, "/admin%00", "/%zz/admin",
	"/../admin", "/public/.%2e/admin", "/;/../admin", "/a/..//admin/", "/ADMIN/../admin"}

func disguisedPaths(ctx context.Context, a *attackers) {
	next := make(chan string)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case next <- disguises[n%len(disguises)]:
			}
		}
	}()
	a.every(ctx, 50*time.Millisecond, func() {
		select {
		case <-ctx.Done():
		case path := <-next:
			a.expect(ctx, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, guardedHost), "path "+path,
				func(status int, body string) bool {
					return !strings.Contains(body, "public") && (status == 403 || status == 400)
				})
		}
	})
}

func strangeMethods(ctx context.Context, a *attackers) {
	refused := func(want ...int) func(int, string) bool {
		return func(status int, _ string) bool {
			for _, one := range want {
				if status == one {
					return true
				}
			}
			return false
		}
	}
	a.every(ctx, 200*time.Millisecond, func() {
		a.expect(ctx, "CONNECT "+guardedHost+":80 HTTP/1.1\r\nHost: "+guardedHost+"\r\nConnection: close\r\n\r\n", "CONNECT", refused(400, 405))
		a.expect(ctx, "TRACE / HTTP/1.1\r\nHost: "+guardedHost+"\r\nConnection: close\r\n\r\n", "TRACE", refused(405))
		a.expect(ctx, "GET http://"+guardedHost+"/admin HTTP/1.1\r\nHost: "+upgradeHost+"\r\nConnection: close\r\n\r\n", "absolute form", refused(403))
		a.expect(ctx, "GET ftp://"+guardedHost+"/admin HTTP/1.1\r\nHost: "+guardedHost+"\r\nConnection: close\r\n\r\n", "absolute form of ftp", refused(400))
		a.expect(ctx, "GET http://user@"+guardedHost+"/admin HTTP/1.1\r\nHost: "+guardedHost+"\r\nConnection: close\r\n\r\n", "absolute form with a user", refused(400))
		a.expect(ctx, "GET / HTTP/1.1\r\nHost: "+guardedHost+"\r\nForwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\nX-Forwarded-For: 6.6.6.6\r\nConnection: close\r\n\r\n", "forged address",
			func(status int, body string) bool { return status == 200 && !strings.Contains(body, "6.6.6.6") })
	})
}

// expect sends one request on a connection of its own and reports an answer that is not as it has to be.
func (a *attackers) expect(ctx context.Context, request, name string, good func(status int, body string) bool) {
	c, err := a.dial(ctx, a.Gateway+":80")
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		return
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		a.problem("%s: %v", name, err)
		return
	}
	body, _ := io.ReadAll(response.Body)
	if !good(response.StatusCode, string(body)) {
		a.problem("%s: status %d, body %.80q", name, response.StatusCode, body)
	}
}

// The backend takes the connection and never answers.
func hungBackend(ctx context.Context, a *attackers) {
	a.every(ctx, 100*time.Millisecond, func() {
		c, err := a.dial(ctx, a.Gateway+":80")
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hungHost)
		a.wait(ctx, c)
	})
}

// wait holds the connection until the gateway closes it or the attack ends.
func (a *attackers) wait(ctx context.Context, c net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	_, _ = io.Copy(io.Discard, c)
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

func unreadResponses(ctx context.Context, a *attackers) {
	a.held(ctx, 140, func() {
		c, err := a.dial(ctx, a.Gateway+":80")
		if err != nil {
			return
		}
		defer c.Close()
		_ = c.SetReadBuffer(4096)
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", largeHost)
		// Nothing is read. A write tells whether the gateway has given up.
		for ctx.Err() == nil {
			pause(ctx, time.Second)
			if _, err := c.Write([]byte("\r\n")); err != nil {
				return
			}
		}
	})
}

func slowHeads(ctx context.Context, a *attackers) {
	a.held(ctx, 200, func() { a.drip(ctx, fmt.Sprintf("GET / HTTP/1.1\r\nHost: %s\r\nX-Slow: ", guardedHost)) })
}

func slowBodies(ctx context.Context, a *attackers) {
	a.held(ctx, 140, func() {
		a.drip(ctx, fmt.Sprintf("POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n\r\n", guardedHost))
	})
}

// drip sends the beginning of a request, then a byte a second.
func (a *attackers) drip(ctx context.Context, beginning string) {
	c, err := a.dial(ctx, a.Gateway+":80")
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

func metricsReaders(ctx context.Context, a *attackers) {
	address := net.JoinHostPort(a.Pod, "8081")
	a.held(ctx, 50, func() {
		c, err := a.dial(ctx, address)
		if err != nil {
			return
		}
		defer c.Close()
		a.wait(ctx, c)
	})
	a.every(ctx, 50*time.Millisecond, func() {
		c, err := a.dial(ctx, address)
		if err != nil {
			return
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		fmt.Fprintf(c, "GET /metrics HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n")
		_, _ = io.Copy(io.Discard, c)
	})
}
