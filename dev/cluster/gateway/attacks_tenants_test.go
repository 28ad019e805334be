//go:build hostile

package gateway

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tenantAttacks are what the neighbour does with objects that he may write, and those of his objects whose statuses name him for it. Each starts, and returns how to end
// it. Those that change certificates or listeners come last: HAProxy may have to start anew some time after them.
var tenantAttacks = []struct {
	name     string
	lasts    time.Duration
	culprits []string
	edge     edgeUse
	start    func(*arena) func()
}{
	{"huge-route", briefly, []string{"HTTPRoute huge"}, edgeStays, hugeRoute},
	{"namespace-flood", briefly, refusedFloods(), edgeStays, namespaceFlood},
	{"bad-routes", briefly, []string{"HTTPRoute bad-pattern", "HTTPRoute big-pattern"}, edgeStays, badRoutes},
	{"many-patterns", attackLasts, []string{"HTTPRoute patterns-differ"}, edgeStays, manyPatterns},
	{"unknown-endpoints", attackLasts, nil, edgeStays, unknownEndpoints},
	{"flapping-endpoints", attackLasts, nil, edgeStays, flappingEndpoints},
	{"many-config-maps", attackLasts, nil, edgeStays, manyConfigMaps},
	{"slow-webhook", attackLasts, []string{"Gateway slow0", "Gateway slow1", "Gateway slow2"}, edgeStays, slowWebhook},
	{"false-pods", briefly, nil, edgeStays, falsePods},
	{"impostor", attackLasts, []string{"Gateway own"}, edgeStays, impostor},
	{"same-names", briefly, []string{"Gateway shop"}, edgeStays, sameNames},
	{"foreign-haproxy-cfg", attackLasts, nil, edgeStays, foreignConfiguration},
	{"many-ports", briefly, []string{"ListenerSet many-ports"}, edgeChanges, manyPorts},
	{"huge-chain", briefly, []string{"ListenerSet huge-chain"}, edgeChanges, hugeChain},
	{"certificates", attackLasts, nil, edgeChanges, rotatingCertificates},
}

var together = regexp.MustCompile(`together ([0-9]+) bytes`)

const (
	hugeManifest = 15 << 10
	hugeTable    = 150_000_000
)

// A manifest of less than 15 KiB that would be a table of more than 150 MB: an entry for each of 16 hosts, 64 matches and 16 backends, with 9 KiB of filters in every one of them.
func hugeRoute(a *arena) func() {
	var text strings.Builder
	fmt.Fprintf(&text, "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: huge}\nspec:\n"+
		"  parentRefs: [{name: edge, namespace: %s, sectionName: web}]\n  hostnames:\n", a.namespace)
	for n := range 16 {
		fmt.Fprintf(&text, "  - h%d.huge.example.com\n", n)
	}
	text.WriteString("  rules:\n  - backendRefs:\n" + strings.Repeat("    - {name: public, port: 80}\n", 16))
	text.WriteString("    filters:\n    - type: ResponseHeaderModifier\n      responseHeaderModifier:\n        set:\n")
	for n := range 3 {
		fmt.Fprintf(&text, "        - {name: X-%d, value: %s}\n", n, strings.Repeat("v", 3100))
	}
	text.WriteString("    matches:\n")
	for n := range 64 {
		fmt.Fprintf(&text, "    - {path: {type: PathPrefix, value: /%d}}\n", n)
	}
	if text.Len() > hugeManifest {
		a.neighbour.Errorf("a manifest of %d bytes", text.Len())
	}
	a.neighbour.apply(text.String())
	return func() {
		words := fmt.Sprint(a.neighbour.get(gatewayAPI, "HTTPRoute", "huge").Object["status"])
		size := 0
		if found := together.FindStringSubmatch(words); found != nil {
			size, _ = strconv.Atoi(found[1])
		}
		fmt.Printf("measured: huge-route: a manifest of %d bytes would have become %d\n", text.Len(), size)
		if size < hugeTable {
			a.neighbour.Errorf("its status does not say how large it is: %s", words)
		}
		a.neighbour.remove(gatewayAPI, "HTTPRoute", "huge")
	}
}

const (
	floodOfRoutes = 12
	// As many as a namespace has room for at 512 MiB.
	floodTaken = 5
)

func refusedFloods() (refused []string) {
	for n := floodTaken; n < floodOfRoutes; n++ {
		refused = append(refused, fmt.Sprintf("HTTPRoute flood%02d", n))
	}
	return refused
}

// Routes that are each just small enough, more of them than a namespace has room for. The newest are refused.
func namespaceFlood(a *arena) func() {
	name := func(n int) string { return fmt.Sprintf("flood%02d", n) }
	a.neighbour.applyInTurn(floodOfRoutes, func(n int) string { return largeRoute(name(n), a.namespace) })
	return func() { a.neighbour.removeInTurn("HTTPRoute", floodOfRoutes, name) }
}

// largeRoute takes some 760 kB of a table: one entry for each of its hosts and matches, each with its filters.
func largeRoute(name, gateway string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: %s}\nspec:\n"+
		"  parentRefs: [{name: edge, namespace: %s, sectionName: web}]\n  hostnames:\n", name, gateway)
	for n := range 16 {
		fmt.Fprintf(&text, "  - h%d.%s.example.com\n", n, name)
	}
	text.WriteString("  rules:\n  - backendRefs: [{name: public, port: 80}]\n    filters:\n    - type: ResponseHeaderModifier\n      responseHeaderModifier:\n        set:\n")
	for n := range 2 {
		fmt.Fprintf(&text, "        - {name: X-%d, value: %s}\n", n, strings.Repeat("v", 2500))
	}
	text.WriteString("    matches:\n")
	for n := range 8 {
		fmt.Fprintf(&text, "    - {path: {type: PathPrefix, value: /%d}}\n", n)
	}
	return text.String()
}

func badRoutes(a *arena) func() {
	bad := map[string]string{
		"bad-pattern": `{path: {type: RegularExpression, value: "/(a"}}`,
		"big-pattern": `{path: {type: RegularExpression, value: "/((a{1,100}){1,100}){1,100}"}}`,
	}
	for name, match := range bad {
		a.neighbour.apply(fmt.Sprintf("apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: %s}\nspec:\n"+
			"  parentRefs: [{name: edge, namespace: %s, sectionName: web}]\n  hostnames: [%s.example.com]\n  rules:\n  - matches: [%s]\n    backendRefs: [{name: public, port: 80}]\n",
			name, a.namespace, name, match))
	}
	return func() {
		for name := range bad {
			a.neighbour.remove(gatewayAPI, "HTTPRoute", name)
		}
	}
}

// objectPace is how long a tenant waits after he has written or deleted a large object. The API server, which validates it, shares two processors with the gateways here: without a pause it would be the
// machine that is slow.
const objectPace = 300 * time.Millisecond

// applyInTurn applies so many large manifests at a pace.
func (s *site) applyInTurn(count int, manifest func(n int) string) {
	s.Helper()
	for n := range count {
		s.apply(manifest(n))
		time.Sleep(objectPace)
	}
}

// removeInTurn removes so many large objects at a pace.
func (s *site) removeInTurn(kind string, count int, name func(n int) string) {
	s.Helper()
	for n := range count {
		s.remove(gatewayAPI, kind, name(n))
		time.Sleep(objectPace)
	}
}

// eachSecond does something each second until it is told to end.
func eachSecond(do func()) (end func()) { return repeatedly(time.Second, do) }

// repeatedly does something, with a pause behind it, until it is told to end.
func repeatedly(pause time.Duration, do func()) (end func()) {
	stop := make(chan struct{})
	var doing sync.WaitGroup
	doing.Go(func() {
		for {
			do()
			select {
			case <-stop:
				return
			case <-time.After(pause):
			}
		}
	})
	return func() {
		close(stop)
		doing.Wait()
	}
}
