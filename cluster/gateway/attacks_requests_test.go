//go:build hostile

package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The backend refuses the upgrade. Whatever is sent behind it must reach nobody.
func refusedUpgrades(connect connector, host string) func(context.Context, *attackers) {
	return func(ctx context.Context, a *attackers) {
		a.every(ctx, 100*time.Millisecond, func() {
			c, err := connect(ctx, a)
			if err != nil {
				return
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(5 * time.Second))
			fmt.Fprintf(c, "GET /socket HTTP/1.1\r\nHost: %s\r\n%s\r\n", host, webSocket)
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
			fmt.Fprintf(c, "GET /smuggled HTTP/1.1\r\nHost: %s\r\n\r\n", host)
			if _, err := http.ReadResponse(reader, nil); err == nil {
				a.problem("refused upgrade: a request behind it was answered")
			}
		})
	}
}

const webSocket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// None of these may become a tunnel: each is served without its Upgrade, which the backend would print.
var upgrades = []string{
	"GET / HTTP/1.1\r\nHost: " + guardedHost + "\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: " + guardedHost + "\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2\r\n\r\n",
	"GET / HTTP/1.0\r\nHost: " + guardedHost + "\r\n" + webSocket + "\r\n",
	"POST / HTTP/1.1\r\nHost: " + guardedHost + "\r\n" + webSocket + "Content-Length: 4\r\n\r\nbody",
	"GET / HTTP/1.1\r\nHost: " + guardedHost + "\r\n" + webSocket + "\r\nGET /admin HTTP/1.1\r\nHost: " + guardedHost + "\r\n\r\n",
}

func otherUpgrades(ctx context.Context, a *attackers) {
	a.inTurn(ctx, 50*time.Millisecond, upgrades, func(request string) {
		line, _, _ := strings.Cut(request, "\r\n")
		a.expect(ctx, request, "upgrade by "+line, func(status int, body string) bool {
			return status == 200 && strings.Contains(body, "public") && !strings.Contains(body, "Upgrade")
		})
	})
}

// As much as varnishd takes of a head, which the backend returns in its response.
func largeHeads(ctx context.Context, a *attackers) {
	var head strings.Builder
	for n := range 40 {
		fmt.Fprintf(&head, "X-Large-%d: %s\r\n", n, strings.Repeat("x", 700))
	}
	request := "GET / HTTP/1.1\r\nHost: " + guardedHost + "\r\n" + head.String() + "Connection: close\r\n\r\n"
	a.every(ctx, 20*time.Millisecond, func() {
		a.expect(ctx, request, "a large head", func(status int, _ string) bool { return status == 200 })
	})
}

// Every one of these is /admin by some reading, and no reading of them is public.
var disguises = []string{"/admin", "/%61dmin", "//admin", "/./admin", "/public/../admin", "/public/%2e%2e/admin", "/public/..%2fadmin", `/public\..\admin`, "/admin%00", "/%zz/admin",
	"/../admin", "/public/.%2e/admin", "/;/../admin", "/a/..//admin/", "/ADMIN/../admin"}

func disguisedPaths(ctx context.Context, a *attackers) {
	a.inTurn(ctx, 50*time.Millisecond, disguises, func(path string) {
		a.expect(ctx, get(guardedHost, path), "path "+path, func(status int, body string) bool {
			return !strings.Contains(body, "public") && (status == 403 || status == 400)
		})
	})
}

// get is a request on a connection of its own.
func get(host, path string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host)
}

func strangeMethods(ctx context.Context, a *attackers) {
	refused := func(want ...int) func(int, string) bool {
		return func(status int, _ string) bool { return slices.Contains(want, status) }
	}
	a.every(ctx, 200*time.Millisecond, func() {
		a.expect(ctx, "CONNECT "+guardedHost+":80 HTTP/1.1\r\nHost: "+guardedHost+"\r\nConnection: close\r\n\r\n", "CONNECT", refused(400, 405))
		a.expect(ctx, "TRACE / HTTP/1.1\r\nHost: "+guardedHost+"\r\nConnection: close\r\n\r\n", "TRACE", refused(405))
		a.expect(ctx, "GET http://"+guardedHost+"/admin HTTP/1.1\r\nHost: "+upgradeHost+"\r\nConnection: close\r\n\r\n", "absolute form", refused(403))
		a.expect(ctx, "GET ftp://"+guardedHost+"/admin HTTP/1.1\r\nHost: "+guardedHost+"\r\nConnection: close\r\n\r\n", "absolute form of ftp", refused(400))
		a.expect(ctx, "GET http://user@"+guardedHost+"/admin HTTP/1.1\r\nHost: "+guardedHost+"\r\nConnection: close\r\n\r\n", "absolute form with a user", refused(400))
		a.expect(ctx, "GET / HTTP/1.1\r\nHost: "+guardedHost+"\r\nForwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\nX-Forwarded-For: 6.6.6.6\r\nConnection: close\r\n\r\n", "forged address",
			func(status int, body string) bool { return status == 200 && !strings.Contains(body, "6.6.6.6") })
		a.expect(ctx, "PROXY TCP4 6.6.6.6 7.7.7.7 1 80\r\n"+get(guardedHost, "/"), "a PROXY header", refused(400))
	})
}
