//go:build integration || faults || hostile

package gateway

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"shellac.dev/cluster/internal/layout"
)

// nodeAddress is that of the first node, whose network the tests run in.
var nodeAddress = layout.Cluster{}.Node(1).IP()

// listen serves on every address of the node until the test ends, and tells the port: a backend that needs no image.
func (s *site) listen(handler http.Handler) int {
	s.Helper()
	listener, err := net.Listen("tcp4", ":0")
	if err != nil {
		s.Fatal(err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	s.Cleanup(func() { _ = server.Close() })
	return listener.Addr().(*net.TCPAddr).Port
}

// service is a Service whose endpoints are written by hand.
func service(name string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec: {ports: [{port: 80}]}\n", name)
}

// slice is an EndpointSlice of a Service; addresses with a ! are not ready.
func slice(name, service string, port int, addresses ...string) string {
	text := fmt.Sprintf("apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: %s, labels: {kubernetes.io/service-name: %s}}\n"+
		"addressType: IPv4\nports: [{port: %d}]\nendpoints:\n", name, service, port)
	for _, address := range addresses {
		address, unready := strings.CutPrefix(address, "!")
		text += fmt.Sprintf("- {addresses: [%s], conditions: {ready: %t, serving: %t, terminating: false}}\n", address, !unready, !unready)
	}
	return text
}

// routeTo is a route of a name, host and Service.
func routeTo(name, host, service string) string {
	return strings.Replace(route(name, host, anyPath), "name: echo, port", "name: "+service+", port", 1)
}

// route is one of a name, host and path to the Service echo.
func route(name, host, match string) string {
	return fmt.Sprintf(`apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: %s}
spec:
  parentRefs: [{name: edge, sectionName: web}]
  hostnames: [%s]
  rules:
  - matches: [%s]
    backendRefs: [{name: echo, port: 80}]
`, name, host, match)
}

const anyPath = "{path: {type: PathPrefix, value: /}}"

// across is a route to the Service echo of another namespace, and what permits it.
func across(from, to *site) (grant, route string) {
	return fmt.Sprintf(`apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: others}
spec:
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: %s}]
  to: [{group: "", kind: Service}]
`, from.namespace), fmt.Sprintf(`apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: across}
spec:
  parentRefs: [{name: edge, sectionName: web}]
  hostnames: [across.example.com]
  rules:
  - backendRefs: [{name: echo, namespace: %s, port: 80}]
`, to.namespace)
}
