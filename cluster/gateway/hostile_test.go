//go:build hostile

package gateway

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	attackLasts   = 20 * time.Second
	quietLasts    = 20 * time.Second
	aftermath     = 2 * time.Second
	mostOfACore   = 0.3
	alwaysAllowed = 50 * time.Millisecond
	rotatingHost  = "rotating.example.com"
)

// arena is a Gateway that an honest tenant shares with a neighbour, who may write routes, run backends and send clients.
type arena struct {
	*site
	authority *authority
	neighbour *site
	smuggled  atomic.Int64
	quiet     map[string]time.Duration
}

// TestNobodyIsHarmedByANeighbour runs each attack beside an honest tenant's load over HTTP and HTTPS: no honest request fails or becomes slow, no container restarts, and statuses name
// the culprits and nobody else. One attack by name: -test.run TestNobodyIsHarmedByANeighbour/NAME.
func TestNobodyIsHarmedByANeighbour(t *testing.T) {
	a := newArena(t)
	a.measureQuiet()
	for _, name := range slices.Sorted(maps.Keys(clientAttacks)) {
		t.Run(name, func(t *testing.T) {
			a.during(t, name, nil, func(s *site) func() {
				clients := s.startAttack(name)
				return func() { a.saw(t, name, clients) }
			})
		})
	}
	for _, attack := range tenantAttacks {
		t.Run(attack.name, func(t *testing.T) {
			a.during(t, attack.name, attack.culprits, func(s *site) func() { return attack.start(s, a) })
		})
	}
}

// saw ends the clients of an attack and fails the test for whatever they should not have seen.
func (a *arena) saw(t *testing.T, name string, clients *attack) {
	t.Helper()
	seen, cores := clients.stop()
	fmt.Printf("measured: %s: %d clients or requests, %.2f of a core\n", name, seen.Sent, cores)
	if seen.Sent == 0 || cores > mostOfACore {
		t.Errorf("this run says nothing: %d clients or requests with %.2f of a core", seen.Sent, cores)
	}
	for _, problem := range seen.Problems {
		t.Error(problem)
	}
	if got := a.smuggled.Swap(0); got != 0 {
		t.Errorf("%d requests reached the backend unseen", got)
	}
}

func newArena(t *testing.T) *arena {
	t.Helper()
	a := &arena{authority: newAuthority(t), quiet: map[string]time.Duration{}}
	a.site = newSite(t, nil, "steady.yaml", a.authority.good(steady).secret("steady"), a.authority.good(rotatingHost).secret("rotating"))
	a.apply("shared-gateway.yaml")
	a.rolledOut(2)
	a.greets(a.authority, steady, 20*time.Second)
	a.answers(steady, "/", http.StatusOK, 10*time.Second)
	a.neighbour = a.newNeighbour()
	a.neighbour.backend("upgrade", upgradeHost, a.refuseUpgrade)
	a.neighbour.backend("public", guardedHost, answer(http.StatusOK, "public"))
	a.neighbour.backend("guard", "", answer(http.StatusForbidden, "guard"))
	a.neighbour.apply(sharedRoute("guard", a.namespace, guardedHost, "/admin", "guard"))
	a.neighbour.backend("large", largeHost, large)
	a.neighbour.backend("hung", hungHost, hang)
	a.neighbour.apply(service("refusing"), slice("refusing-1", "refusing", closedPort, nodeAddress), sharedRoute("refusing", a.namespace, refusingHost, "/", "refusing"),
		mirroredRoute(a.namespace), securedRoute(a.namespace))
	for host, want := range map[string]int{
		upgradeHost: http.StatusUnauthorized, guardedHost: http.StatusOK, largeHost: http.StatusOK, mirroredHost: http.StatusOK, refusingHost: http.StatusServiceUnavailable,
	} {
		a.answers(host, "/", want, 10*time.Second)
	}
	a.answers(guardedHost, "/admin", http.StatusForbidden, 10*time.Second)
	return a
}

// A port that nothing listens at: it is below those that the system gives away.
const closedPort = 9

// mirroredRoute sends a copy of each request to a backend that hangs.
func mirroredRoute(gateway string) string {
	return strings.Replace(sharedRoute("mirrored", gateway, mirroredHost, "/", "public"), "    backendRefs:",
		"    filters: [{type: RequestMirror, requestMirror: {backendRef: {name: hung, port: 80}}}]\n    backendRefs:", 1)
}

// securedRoute leads to the backends of the neighbour over HTTPS.
func securedRoute(gateway string) string {
	text := strings.Replace(sharedRoute("secured", gateway, rotatingHost, "/", "public"), "sectionName: web", "sectionName: rotating", 1)
	for path, service := range map[string]string{"/large": "large", "/socket": "upgrade", "/smuggled": "upgrade"} {
		text += fmt.Sprintf("  - matches: [{path: {type: PathPrefix, value: %s}}]\n    backendRefs: [{name: %s, port: 80}]\n", path, service)
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
metadata: {name: %s-route}
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

func (a *arena) refuseUpgrade(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/smuggled" && r.Header.Get("X-Forwarded-For") == "" {
		a.smuggled.Add(1)
	}
	w.WriteHeader(http.StatusUnauthorized)
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

func (a *arena) measureQuiet() {
	a.Helper()
	loads := a.startLoads()
	time.Sleep(quietLasts)
	for door, load := range loads {
		load.lostNothing("no attack, over " + door)
		a.quiet[door] = load.percentile(99)
		fmt.Printf("measured: no attack, over %s: p99 %d ms\n", door, a.quiet[door].Milliseconds())
	}
}

func (a *arena) startLoads() map[string]*load {
	a.Helper()
	return map[string]*load{"HTTP": a.startLoad(nil), "HTTPS": a.startLoad(a.authority.client(steady))}
}

// during runs an attack beside the honest load, and looks at what became of the load, of the pods and of everybody's statuses. The load goes on until the attack is over.
func (a *arena) during(t *testing.T, name string, culprits []string, start func(*site) func()) {
	t.Helper()
	here := *a.site
	here.T = t
	before := here.vitals()
	loads := map[string]*load{"HTTP": here.startLoad(nil), "HTTPS": here.startLoad(a.authority.client(steady))}
	end := start(&here)
	time.Sleep(attackLasts)
	a.blames(t, culprits)
	here.isProgrammed()
	end()
	time.Sleep(aftermath)
	for door, load := range loads {
		load.lostNothing(name + ", over " + door)
		p99, most := load.percentile(99), max(2*a.quiet[door], alwaysAllowed)
		fmt.Printf("measured: %s, over %s: p99 %d ms of at most %d\n", name, door, p99.Milliseconds(), most.Milliseconds())
		if p99 > most {
			t.Errorf("%s, over %s: p99 %s, more than %s", name, door, p99, most)
		}
	}
	here.survived(name, before)
	a.blames(t, nil)
}

// isProgrammed fails the test unless the Gateway and all of its listeners are.
func (s *site) isProgrammed() {
	s.Helper()
	s.eventually("the Gateway is Programmed", 10*time.Second, func() (bool, string) {
		status, words := conditionOf(s.get(gatewayAPI, "Gateway", "edge").Object, "Programmed", "status", "conditions")
		return status == "True", words
	})
	for _, name := range []string{"web", "steady", "rotating"} {
		if status, words := s.listener(name, "Programmed"); status != "True" {
			s.Errorf("the listener %s: %s", name, words)
		}
	}
}

// podAddress is that of a pod of the Gateway.
func (s *site) podAddress() string {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
	if err != nil || len(pods.Items) == 0 || net.ParseIP(pods.Items[0].Status.PodIP) == nil {
		s.Fatalf("no pod with an address: %v", err)
	}
	return pods.Items[0].Status.PodIP
}
