//go:build hostile

package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	patternRoutes = 20
	patternHost   = "patterns.example.com"
	// As long as a header may be, less its name.
	longValue = 8000
	// Without a bound, six requests a second with such a header would fill a core.
	longRequestPause = 20 * time.Millisecond
	longRequestMost  = 50 * time.Millisecond
)

// Thousands of rules with one slow pattern for one header, a route with more patterns than a host takes, and a client whose header is as long as it may be: varnishd goes through it before it counts a thread.
func manyPatterns(a *arena) func() {
	var words []string
	// Longer ones would make a route larger than the operator takes.
	for n := range 40 {
		words = append(words, fmt.Sprintf("w%dq%dz", n, n*7))
	}
	slow := "[a-y]*(?:" + strings.Join(words, "|") + ")"
	name := func(n int) string { return fmt.Sprintf("patterns%02d", n) }
	a.neighbour.applyInTurn(patternRoutes, func(n int) string { return patternRoute(name(n), a.namespace, func(int) string { return slow }) })
	a.neighbour.apply(patternRoute("patterns-differ", a.namespace, func(n int) string { return fmt.Sprintf("[ab]*c%d", n) }))
	var times []time.Duration
	end := repeatedly(longRequestPause, func() {
		began := time.Now()
		if status := a.statusWithLongHeader(); status != http.StatusNotFound {
			a.Errorf("%d for a request that no route takes", status)
		}
		times = append(times, time.Since(began))
	})
	return func() {
		end()
		slices.Sort(times)
		middle := times[len(times)/2]
		fmt.Printf("measured: many-patterns: %d requests with a header of %d bytes, p50 %.1f ms\n", len(times), longValue, middle.Seconds()*1e3)
		if middle > longRequestMost {
			a.Errorf("half of the requests took more than %s", middle)
		}
		a.neighbour.removeInTurn("HTTPRoute", patternRoutes, name)
		a.neighbour.remove(gatewayAPI, "HTTPRoute", "patterns-differ")
	}
}

// patternRoute has 16 rules of 7 matches, each with a pattern for two headers.
func patternRoute(name, gateway string, pattern func(n int) string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: %s}\nspec:\n"+
		"  parentRefs: [{name: edge, namespace: %s, sectionName: web}]\n  hostnames: [%s]\n  rules:\n", name, gateway, patternHost)
	for rule := range 16 {
		text.WriteString("  - backendRefs: [{name: public, port: 80}]\n    matches:\n")
		for match := range 7 {
			n := 2 * (7*rule + match)
			fmt.Fprintf(&text, "    - headers: [{name: x-long, type: RegularExpression, value: %q}, {name: x-other, type: RegularExpression, value: %q}]\n",
				pattern(n), pattern(n+1))
		}
	}
	return text.String()
}

// statusWithLongHeader is that of an answer; 0 if none comes.
func (s *site) statusWithLongHeader() int {
	request, err := http.NewRequest(http.MethodGet, "http://"+s.address+"/", nil)
	if err != nil {
		s.Error(err)
		return 0
	}
	request.Host = patternHost
	request.Header.Set("X-Long", strings.Repeat("a", longValue))
	response, err := s.client.Do(request)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}
