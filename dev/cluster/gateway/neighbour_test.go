//go:build hostile

package gateway

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A port that nothing listens at: it is below those that the system gives away.
const closedPort = 9

// mirroredRoute sends a copy of each request to a backend that hangs.
func mirroredRoute(gateway string) string {
	return strings.Replace(sharedRoute("mirrored", gateway, mirroredHost, "/", "public"), "    backendRefs:", "    filters: "+mirrorFilter+"\n    backendRefs:", 1)
}

const mirrorFilter = "[{type: RequestMirror, requestMirror: {backendRef: {name: hung, port: 80}}}]"

// securedRoute leads to the backends of the neighbour over HTTPS, by paths that the same backends have over HTTP.
func securedRoute(gateway string) string {
	text := strings.Replace(sharedRoute("secured", gateway, rotatingHost, "/", "public"), "sectionName: web", "sectionName: rotating", 1)
	for _, rule := range [][3]string{
		{"/admin", "guard", "[]"}, {"/hung", "hung", "[]"}, {"/large", "large", "[]"}, {"/mirrored", "public", mirrorFilter},
		{"/socket", "upgrade", "[]"}, {"/smuggled", "upgrade", "[]"}, {"/tunnelled", "upgrade", "[]"}, {"/echo", "tunnel", "[]"},
	} {
		text += fmt.Sprintf("  - matches: [{path: {type: PathPrefix, value: %s}}]\n    backendRefs: [{name: %s, port: 80}]\n    filters: %s\n", rule[0], rule[1], rule[2])
	}
	return text
}

// newNeighbour is another namespace, whose routes belong to the same Gateway.
func (s *site) newNeighbour() *site {
	s.Helper()
	namespace, err := s.core.CoreV1().Namespaces().Create(s.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "neighbour-"}}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := s.core.CoreV1().Namespaces().Delete(context.Background(), namespace.Name, metav1.DeleteOptions{}); err != nil {
			s.Error(err)
		}
	})
	other := *s
	other.namespace = namespace.Name
	other.gateway = s.namespace
	return &other
}

// backend serves a Service, and a host by a route to it unless the host is empty.
func (s *site) backend(name, host string, handler http.HandlerFunc) {
	s.Helper()
	port := s.listen(handler)
	s.apply(service(name), slice(name+"-1", name, port, nodeAddress))
	if host != "" {
		s.apply(sharedRoute(name, s.gateway, host, "/", name))
	}
}

// sharedRoute is a route of the Gateway of another namespace.
func sharedRoute(name, gateway, host, prefix, service string) string {
	return fmt.Sprintf(`apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: %s}
spec:
  parentRefs: [{name: edge, namespace: %s, sectionName: web}]
  hostnames: [%s]
  rules:
  - matches: [{path: {type: PathPrefix, value: %s}}]
    backendRefs: [{name: %s, port: 80}]
`, name, gateway, host, prefix, service)
}

func answer(status int, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		fmt.Fprintln(w, name, r.Header)
	}
}

// refuseUpgrade counts requests that reached it past the gateway: it puts an address on all that it sees, and nobody asks for /tunnelled but as the content of a tunnel.
func (a *arena) refuseUpgrade(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/smuggled" && r.Header.Get("X-Forwarded-For") == "" || r.URL.Path == "/tunnelled" {
		a.smuggled.Add(1)
	}
	w.WriteHeader(http.StatusUnauthorized)
}

// echoTunnel takes a WebSocket, and returns what comes in it as it is.
func echoTunnel(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.WriteHeader(http.StatusUpgradeRequired)
		return
	}
	c, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	accept := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) // RFC 6455, 1.3
	fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(accept[:]))
	_, _ = io.Copy(c, buffered)
}

func large(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	piece := make([]byte, 64<<10)
	for range (20 << 20) / len(piece) {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
