//go:build hostile

package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/http2/hpack"
)

// The backend refuses the upgrade, over HTTP, HTTPS and HTTP/2 (RFC 8441) in turn. Whatever is sent behind it must reach nobody.
func refusedUpgrades(ctx context.Context, a *attackers) {
	attempts := []func(){func() { a.extendedConnects(ctx) }}
	for _, d := range doors(upgradeHost) {
		attempts = append(attempts, func() { a.refusedUpgrade(ctx, d) })
	}
	a.inTurn(ctx, 50*time.Millisecond, attempts)
}

func (a *attackers) refusedUpgrade(ctx context.Context, d door) {
	c, err := d.connect(ctx, a)
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	fmt.Fprintf(c, "GET /socket HTTP/1.1\r\nHost: %s\r\n%s\r\n", d.host, webSocket)
	reader := bufio.NewReader(c)
	response, err := http.ReadResponse(reader, nil)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		a.problem("refused upgrade over %s: %v", d.name, err)
		return
	}
	_, _ = io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusUnauthorized {
		a.problem("refused upgrade over %s: status %d", d.name, response.StatusCode)
	}
	fmt.Fprintf(c, "GET /smuggled HTTP/1.1\r\nHost: %s\r\n\r\n", d.host)
	// HAProxy may keep the client's connection: what comes next on it is a request like any other, which the backend tells from one that was smuggled.
	if _, err := http.ReadResponse(reader, nil); err == nil && d.name == "HTTP" {
		a.problem("refused upgrade over %s: a request behind it was answered", d.name)
	}
}

const webSocket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// upgrades to what is none, or none that is offered, each with a request that is served without its Upgrade, which the backend would print.
func upgrades(host string) []string {
	return []string{
		"GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2\r\n\r\n",
		"GET / HTTP/1.0\r\nHost: " + host + "\r\n" + webSocket + "\r\n",
		"POST / HTTP/1.1\r\nHost: " + host + "\r\n" + webSocket + "Content-Length: 4\r\n\r\nbody",
		"GET / HTTP/1.1\r\nHost: " + host + "\r\n" + webSocket + "\r\nGET /admin HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
	}
}

// None of these may become a tunnel.
func otherUpgrades(ctx context.Context, a *attackers) {
	var attempts []func()
	for _, d := range doors(guardedHost) {
		for _, request := range upgrades(d.host) {
			line, _, _ := strings.Cut(request, "\r\n")
			// HAProxy holds back what comes behind a request: what is left of this one is an upgrade like any other, which is refused.
			isUpgrade := d.name == "HTTPS" && strings.Contains(request, "/admin")
			attempts = append(attempts, func() {
				a.expect(ctx, d, request, "upgrade by "+line, func(status int, body string) bool {
					return status == 200 && strings.Contains(body, "public") && strings.Contains(body, "Upgrade") == isUpgrade
				})
			})
		}
	}
	for _, protocol := range []string{"h2c", "connect-udp", "TLS/1.2"} {
		attempts = append(attempts, func() {
			a.extendedConnect(ctx, "/socket", protocol, h2Stream{late: "x"}, func(status int, _ string) bool { return status < 200 || status > 299 })
		})
	}
	a.inTurn(ctx, 50*time.Millisecond, attempts)
}

// As much as varnishd takes of a head, and over HTTPS HAProxy, which the backend returns in its response.
func largeHeads(ctx context.Context, a *attackers) {
	request := func(host string, lines int) string {
		return "GET / HTTP/1.1\r\nHost: " + host + "\r\n" + largeHead(lines) + "Connection: close\r\n\r\n"
	}
	whole, part := request(guardedHost, 40), request(rotatingHost, 18)
	tooLarge := request(rotatingHost, 40)
	overHTTPS := doors(guardedHost)[1]
	var fields []hpack.HeaderField
	for n := range 18 {
		fields = append(fields, hpack.HeaderField{Name: fmt.Sprintf("x-large-%d", n), Value: strings.Repeat("x", 700)})
	}
	a.inTurn(ctx, 20*time.Millisecond, []func(){
		func() { a.expect(ctx, doors(guardedHost)[0], whole, "a large head", oneOf(200)) },
		func() { a.expect(ctx, overHTTPS, part, "a large head", oneOf(200)) },
		func() { a.expectH2(ctx, "a large head", h2Get("/", fields...), oneOf(200)) },
		func() {
			// It may be refused before all of it was written.
			if status := a.ask(ctx, overHTTPS.connect, tooLarge); status != 0 && status != 400 && status != 431 {
				a.problem("a head that is too large: status %d", status)
			}
		},
	})
}

func largeHead(lines int) string {
	var head strings.Builder
	for n := range lines {
		fmt.Fprintf(&head, "X-Large-%d: %s\r\n", n, strings.Repeat("x", 700))
	}
	return head.String()
}

// Every one of these is /admin by some reading, and no reading of them is public.
var disguises = []string{"/admin", "/%61dmin", "//admin", "/./admin", "/public/../admin", "/public/%2e%2e/admin", "/public/..%2fadmin", `/public\..\admin`, "/admin%00", "/%zz/admin",
	"/../admin", "/public/.%2e/admin", "/;/../admin", "/a/..//admin/", "/ADMIN/../admin"}

func disguisedPaths(ctx context.Context, a *attackers) {
	guarded := func(status int, body string) bool {
		return !strings.Contains(body, "public") && (status == 403 || status == 400)
	}
	var attempts []func()
	for _, path := range disguises {
		for _, d := range doors(guardedHost) {
			attempts = append(attempts, func() { a.expect(ctx, d, get(d.host, path), "path "+path, guarded) })
		}
		attempts = append(attempts, func() { a.expectH2(ctx, "path "+path, h2Get(path), guarded) })
	}
	a.inTurn(ctx, 25*time.Millisecond, attempts)
}

// get is a request on a connection of its own.
func get(host, path string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host)
}

// attempt is a request by a strange method or target, and what may come of it.
type attempt struct {
	name, request string
	good          verdict
}

// strange are requests that must not pass as they come. A request whose target and Host name different hosts goes where its target leads; HAProxy, over HTTPS, refuses it.
func strange(d door, other string) []attempt {
	as := func(line, host, more string) string {
		return fmt.Sprintf("%s HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n", line, host, more)
	}
	absolute := oneOf(403)
	if d.name == "HTTPS" {
		absolute = oneOf(400, 403)
	}
	forged := "Forwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\nX-Forwarded-For: 6.6.6.6\r\n"
	return []attempt{
		{"CONNECT", as("CONNECT "+d.host+":80", d.host, ""), oneOf(400, 405)},
		{"CONNECT that names its port", as("CONNECT "+d.host+":80", d.host+":80", ""), oneOf(400, 405)},
		{"TRACE", as("TRACE /", d.host, ""), oneOf(405)},
		{"absolute form", as("GET http://"+d.host+"/admin", d.host, ""), oneOf(403)},
		{"absolute form of https", as("GET https://"+d.host+"/admin", d.host, ""), oneOf(403)},
		{"absolute form of another host", as("GET http://"+d.host+"/admin", other, ""), absolute},
		{"absolute form beside the host of another", as("GET http://"+other+"/admin", d.host, ""), isNotOf("public")},
		{"absolute form of ftp", as("GET ftp://"+d.host+"/admin", d.host, ""), oneOf(400)},
		{"absolute form with a user", as("GET http://user@"+d.host+"/admin", d.host, ""), oneOf(400)},
		{"forged address", as("GET /", d.host, forged), isClean},
		{"a PROXY header", "PROXY TCP4 6.6.6.6 7.7.7.7 1 80\r\n" + get(d.host, "/"), oneOf(400)},
	}
}

// isNotOf accepts what does not come from the backend of this name or its guard: the target named somebody else.
func isNotOf(backend string) verdict {
	return func(_ int, body string) bool {
		return !strings.HasPrefix(body, backend) && !strings.HasPrefix(body, "guard")
	}
}

func isClean(status int, body string) bool {
	return status == 200 && !strings.Contains(body, "6.6.6.6")
}

func strangeMethods(ctx context.Context, a *attackers) {
	var attempts []func()
	for _, d := range doors(guardedHost) {
		for _, one := range strange(d, steady) {
			attempts = append(attempts, func() { a.expect(ctx, d, one.request, one.name, one.good) })
		}
	}
	for _, one := range strangeH2 {
		attempts = append(attempts, func() { a.expectH2(ctx, one.name, one.fields, one.good) })
	}
	a.inTurn(ctx, 30*time.Millisecond, attempts)
}

// strangeH2 are the same by HTTP/2, where the target's parts are fields of their own.
var strangeH2 = []struct {
	name   string
	fields []hpack.HeaderField
	good   verdict
}{
	{"CONNECT", []hpack.HeaderField{{Name: ":method", Value: "CONNECT"}, {Name: ":authority", Value: rotatingHost + ":80"}}, oneOf(400, 405)},
	{"TRACE", h2Request("TRACE", "https", rotatingHost, "/"), oneOf(400, 405)},
	{"another host", h2Request("GET", "https", rotatingHost, "/admin", hpack.HeaderField{Name: "host", Value: steady}), oneOf(400, 403)},
	{"the authority of another", h2Request("GET", "https", steady, "/admin", hpack.HeaderField{Name: "host", Value: rotatingHost}), isNotOf("public")},
	{"the scheme http", h2Request("GET", "http", rotatingHost, "/admin"), oneOf(400, 403)},
	{"the scheme ftp", h2Request("GET", "ftp", rotatingHost, "/admin"), oneOf(400)},
	{"an authority with a user", h2Request("GET", "https", "user@"+rotatingHost, "/admin"), isNotOf("public")},
	{"a path without a slash", h2Request("GET", "https", rotatingHost, "admin"), isNotOf("public")},
	{"forged address", h2Get("/", hpack.HeaderField{Name: "forwarded", Value: "for=6.6.6.6"}, hpack.HeaderField{Name: "x-real-ip", Value: "6.6.6.6"},
		hpack.HeaderField{Name: "x-forwarded-for", Value: "6.6.6.6"}), isClean},
}

// extendedConnects asks for a WebSocket by HTTP/2, which one backend refuses and the other takes, and sends a request where the content of the tunnel would be: behind the answer, or before
// anybody has said that there is a tunnel, which HAProxy may refuse.
func (a *attackers) extendedConnects(ctx context.Context) {
	hidden := "GET /tunnelled HTTP/1.1\r\nHost: " + rotatingHost + "\r\n\r\n"
	late, early := h2Stream{late: hidden}, h2Stream{early: hidden}
	isTunnel := func(status int, body string) bool { return status == http.StatusOK && body == hidden }
	a.extendedConnect(ctx, "/socket", "websocket", late, oneOf(http.StatusUnauthorized))
	a.extendedConnect(ctx, "/socket", "websocket", early, oneOf(http.StatusUnauthorized, http.StatusInternalServerError))
	a.extendedConnect(ctx, "/echo", "websocket", late, isTunnel)
	a.extendedConnect(ctx, "/echo", "websocket", early, func(status int, body string) bool {
		return status == http.StatusInternalServerError || isTunnel(status, body)
	})
}

// extendedConnect asks for a tunnel of a protocol.
func (a *attackers) extendedConnect(ctx context.Context, path, protocol string, stream h2Stream, good verdict) {
	stream.fields = h2Request("CONNECT", "https", rotatingHost, path, hpack.HeaderField{Name: ":protocol", Value: protocol},
		hpack.HeaderField{Name: "sec-websocket-version", Value: "13"})
	a.judge(ctx, fmt.Sprintf("CONNECT %s for %s over HTTP/2", path, protocol), a.exchangeH2(ctx, stream), good)
}
