//go:build hostile

package gateway

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A rule of /api beside one that would take its requests. Round after round something about /api is unknown to the pods for a moment: who asks for it meanwhile gets what was there
// before, or an error, and never the answer of the other rule.
func unknownEndpoints(a *arena) func() {
	granted := a.neighbour.newNeighbour()
	granted.backend("api", "", answer(http.StatusOK, "granted"))
	rounds := []func(name string) (undo func()){
		a.newRoute, a.changedRoute,
		func(name string) func() { return a.newGrant(name, granted) },
		a.newNamespace,
	}
	var undo []func()
	made := 0
	end := eachSecond(func() {
		undo = append(undo, rounds[made%len(rounds)](fmt.Sprintf("unknown%d", made)))
		made++
	})
	return func() {
		end()
		for _, each := range undo {
			each()
		}
	}
}

// A new route to a Service without endpoints that anybody knows of.
func (a *arena) newRoute(name string) func() {
	n := a.neighbour
	n.apply(service(name), apiRoute(name, a.namespace, "name: "+name))
	n.answersOnly(name, 900*time.Millisecond, "", "404", "503")
	return func() {
		n.remove(gatewayAPI, "HTTPRoute", name)
		n.remove("v1", "Service", name)
	}
}

// A route that leads to such a Service when it was already served.
func (a *arena) changedRoute(name string) func() {
	n := a.neighbour
	n.apply(service(name), apiRoute(name, a.namespace, "name: guard"))
	n.answersOnly(name, 3*time.Second, "403", "404")
	n.apply(apiRoute(name, a.namespace, "name: "+name))
	n.answersOnly(name, 900*time.Millisecond, "", "403", "503")
	return func() {
		n.remove(gatewayAPI, "HTTPRoute", name)
		n.remove("v1", "Service", name)
	}
}

// A route to a Service of a namespace that permits it later, and then no more.
func (a *arena) newGrant(name string, other *site) func() {
	n := a.neighbour
	n.apply(apiRoute(name, a.namespace, "name: api, namespace: "+other.namespace))
	n.answersOnly(name, 3*time.Second, "500", "404")
	permission, _ := across(n, other)
	other.apply(permission)
	n.answersOnly(name, 3*time.Second, "200 granted", "500", "503")
	other.remove("gateway.networking.k8s.io/v1beta1", "ReferenceGrant", "others")
	n.answersOnly(name, 3*time.Second, "500", "200 granted")
	// Its status names what is not permitted any more.
	n.remove(gatewayAPI, "HTTPRoute", name)
	return func() {}
}

// A new route to a namespace whose endpoints the pods may not read yet.
func (a *arena) newNamespace(name string) func() {
	n := a.neighbour
	fresh := n.newNeighbour()
	permission, _ := across(n, fresh)
	fresh.apply(permission)
	fresh.backend("api", "", answer(http.StatusOK, "granted"))
	n.apply(apiRoute(name, a.namespace, "name: api, namespace: "+fresh.namespace))
	n.answersOnly(name, 3*time.Second, "200 granted", "404", "503")
	return func() { n.remove(gatewayAPI, "HTTPRoute", name) }
}

// apiRoute has a rule of /api, which leads to a backend, and one of all other paths.
func apiRoute(name, gateway, backend string) string {
	text := strings.Replace(sharedRoute(name, gateway, name+".example.com", "/api", "api"), "name: api, port", backend+", port", 1)
	return text + "  - backendRefs: [{name: public, port: 80}]\n"
}

// answersOnly asks for /api of a route again and again until it is answered in one way, for so long at most. Until then no answer but these may come. Where no last one is named, these are
// all that may.
func (s *site) answersOnly(name string, within time.Duration, last string, before ...string) {
	s.Helper()
	got := ""
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		got = s.answerOf(name+".example.com", "/api")
		if got == last {
			return
		}
		if !slices.Contains(before, got) {
			s.Errorf("%s: /api was answered %q, and not one of %q", name, got, append(before, last))
			return
		}
	}
	if last != "" {
		s.Errorf("%s: /api is not answered %q within %s, but %q", name, last, within, got)
	}
}

// answerOf is the status of an answer and, of one with 200, the name of the backend; empty if none comes.
func (s *site) answerOf(host, path string) string {
	request, err := http.NewRequest(http.MethodGet, "http://"+s.address+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	request.Host = host
	response, err := s.client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Sprint(response.StatusCode)
	}
	who, _, _ := strings.Cut(string(body), " ")
	return "200 " + who
}

// A thousand endpoints that come and go, of which one is real.
func flappingEndpoints(a *arena) func() {
	n := 0
	many := func() string {
		n++
		addresses := []string{nodeAddress}
		for i := range 999 {
			addresses = append(addresses, fmt.Sprintf("192.0.%d.%d", n%2*2+i/250, 1+i%250))
		}
		return slice("flapping-1", "flapping", closedPort, addresses...)
	}
	a.neighbour.apply(service("flapping"), many(), sharedRoute("flapping", a.namespace, "flapping.example.com", "/", "flapping"))
	end := eachSecond(func() { a.neighbour.apply(many()) })
	return func() {
		end()
		a.neighbour.remove(gatewayAPI, "HTTPRoute", "flapping")
		a.neighbour.remove("discovery.k8s.io/v1", "EndpointSlice", "flapping-1")
		a.neighbour.remove("v1", "Service", "flapping")
	}
}
