//go:build hostile

package gateway

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	attackLasts = 20 * time.Second
	// For what is over with each request, or looked at once.
	briefly       = 12 * time.Second
	quietLasts    = 20 * time.Second
	aftermath     = 2 * time.Second
	mostOfACore   = 0.3
	alwaysAllowed = 50 * time.Millisecond
	takesWithin   = 2 * time.Second
	rotatingHost  = "rotating.example.com"
)

// arena is a Gateway that an honest tenant shares with a neighbour, who may write routes, run backends and send clients.
type arena struct {
	*site
	authority *authority
	neighbour *site
	smuggled  *atomic.Int64
	quiet     map[string]time.Duration
	quietCPU  float64 // of a core, with the honest load alone
}

// ordeal is what the honest tenant goes through during one attack.
type ordeal struct {
	name     string
	lasts    time.Duration
	culprits []string
	edge     edgeUse
	start    func(*arena) func()
	// Told what this process computed meanwhile beyond the honest load, of a core: the attack itself where it runs here, else the neighbour's backends.
	computed func(t *testing.T, cores float64)
}

// edgeUse tells whether an attack changes certificates or listeners, for which another HAProxy may have to start.
type edgeUse int

const (
	edgeStays edgeUse = iota
	edgeChanges
)

// briefAttacks are the clients' attacks that need no time to unfold.
var briefAttacks = []string{"refused-upgrades", "other-upgrades", "paths", "methods", "large-heads", "refused-connections", "pod-pages"}

// TestNobodyIsHarmedByANeighbour runs each attack beside an honest tenant's load over HTTP and HTTPS: no honest request fails or becomes slow, no process restarts, new routes are taken, and
// statuses name the culprits and nobody else. One attack by name: -test.run TestNobodyIsHarmedByANeighbour/NAME.
func TestNobodyIsHarmedByANeighbour(t *testing.T) {
	a := newArena(t)
	a.measureQuiet()
	for _, name := range slices.Sorted(maps.Keys(clientAttacks)) {
		lasts := attackLasts
		if slices.Contains(briefAttacks, name) {
			lasts = briefly
		}
		t.Run(name, func(t *testing.T) {
			a.during(t, ordeal{name: name, lasts: lasts, computed: func(*testing.T, float64) {}, start: func(a *arena) func() {
				clients := a.startAttack(name)
				return func() {
					a.takesRoute(name)
					a.saw(name, clients)
				}
			}})
		})
	}
	for _, attack := range tenantAttacks {
		t.Run(attack.name, func(t *testing.T) {
			computed := func(t *testing.T, cores float64) { isPaced(t, attack.name, cores) }
			a.during(t, ordeal{attack.name, attack.lasts, attack.culprits, attack.edge, attack.start, computed})
		})
	}
}

// isPaced fails the test if an attack of this process computes too much for its effects to be those of the attack.
func isPaced(t *testing.T, name string, cores float64) {
	t.Helper()
	fmt.Printf("measured: %s: %.2f of a core\n", name, cores)
	if cores > mostOfACore {
		t.Errorf("this run says nothing: the attack took %.2f of a core", cores)
	}
}

// processorTime is what this process has computed, the honest load and the neighbour's backends included.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // it fails for no process of ours
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// processorShare measures what this process computes from now on, of a core.
func processorShare() func() float64 {
	began, before := time.Now(), processorTime()
	return func() float64 { return float64(processorTime()-before) / float64(time.Since(began)) }
}

// saw ends the clients of an attack and fails the test for whatever they should not have seen.
func (a *arena) saw(name string, clients *attack) {
	a.Helper()
	seen, cores := clients.stop()
	fmt.Printf("measured: %s: %d clients or requests, %.2f of a core\n", name, seen.Sent, cores)
	if seen.Sent == 0 || cores > mostOfACore {
		a.Errorf("this run says nothing: %d clients or requests with %.2f of a core", seen.Sent, cores)
	}
	for _, problem := range seen.Problems {
		a.Error(problem)
	}
	if got := a.smuggled.Swap(0); got != 0 {
		a.Errorf("%d requests reached the backend unseen", got)
	}
}

func newArena(t *testing.T) *arena {
	t.Helper()
	a := &arena{authority: newAuthority(t), smuggled: &atomic.Int64{}, quiet: map[string]time.Duration{}}
	a.site = newSite(t, nil, "steady.yaml", a.authority.good(steady).secret("steady"), a.authority.good(rotatingHost).secret("rotating"))
	a.apply("shared-gateway.yaml")
	a.rolledOut(2)
	a.greets(a.authority, steady, 20*time.Second)
	a.answers(steady, "/", http.StatusOK, 10*time.Second)
	a.backend("socket", "", echoTunnel)
	a.neighbour = a.newNeighbour()
	a.neighbour.backend("upgrade", upgradeHost, a.refuseUpgrade)
	a.neighbour.backend("public", guardedHost, answer(http.StatusOK, "public"))
	a.neighbour.backend("guard", "", answer(http.StatusForbidden, "guard"))
	a.neighbour.apply(sharedRoute("guard", a.namespace, guardedHost, "/admin", "guard"))
	a.neighbour.backend("large", largeHost, large)
	a.neighbour.backend("hung", hungHost, hang)
	a.neighbour.backend("tunnel", "", echoTunnel)
	a.neighbour.apply(service("refusing"), slice("refusing-1", "refusing", closedPort, nodeAddress), sharedRoute("refusing", a.namespace, refusingHost, "/", "refusing"),
		mirroredRoute(a.namespace), securedRoute(a.namespace))
	for host, want := range map[string]int{
		upgradeHost: http.StatusUnauthorized, guardedHost: http.StatusOK, largeHost: http.StatusOK, mirroredHost: http.StatusOK, refusingHost: http.StatusServiceUnavailable,
	} {
		a.answers(host, "/", want, 10*time.Second)
	}
	a.answers(guardedHost, "/admin", http.StatusForbidden, 10*time.Second)
	a.apply(strings.Replace(sharedRoute("socket", a.namespace, steady, "/socket", "socket"), "sectionName: web", "sectionName: steady", 1))
	return a
}

func (a *arena) measureQuiet() {
	a.Helper()
	loads := a.startLoads()
	share := processorShare()
	time.Sleep(quietLasts)
	a.quietCPU = share()
	for door, load := range loads {
		load.lostNothing("no attack, over " + door)
		a.quiet[door] = load.percentile(99)
		fmt.Printf("measured: no attack, over %s: p99 %d ms\n", door, a.quiet[door].Milliseconds())
	}
	fmt.Printf("measured: no attack: the load takes %.2f of a core\n", a.quietCPU)
}

func (a *arena) startLoads() map[string]*load {
	a.Helper()
	return map[string]*load{"HTTP": a.startLoad(nil), "HTTPS": a.startLoad(a.authority.client(steady))}
}

// within is the arena for one attack, which fails with the test of its own.
func (a *arena) within(t *testing.T) *arena {
	honest, neighbour, other := *a.site, *a.neighbour, *a
	honest.T, neighbour.T = t, t
	other.site, other.neighbour = &honest, &neighbour
	return &other
}

// during runs an attack beside the honest load, and looks at what became of the load, of the pods and of everybody's statuses. The load goes on until the attack is over.
func (a *arena) during(t *testing.T, o ordeal) {
	t.Helper()
	here := a.within(t)
	before := here.vitals()
	loads := here.startLoads()
	share := processorShare()
	stop, once := o.start(here), sync.Once{}
	end := func() { once.Do(stop) }
	// What an attack leaves behind would be held against the next one. One that was ended and failed is not ended again.
	defer end()
	time.Sleep(o.lasts)
	o.computed(t, share()-a.quietCPU)
	here.blames(o.culprits)
	here.isProgrammed()
	end()
	time.Sleep(aftermath)
	for door, load := range loads {
		load.lostNothing(o.name + ", over " + door)
		p99, most := load.percentile(99), max(2*a.quiet[door], alwaysAllowed)
		fmt.Printf("measured: %s, over %s: p99 %d ms of at most %d\n", o.name, door, p99.Milliseconds(), most.Milliseconds())
		if p99 > most {
			t.Errorf("%s, over %s: p99 %s, more than %s; requests that took more than %s: %s", o.name, door, p99, most, loadSlow, load.slowTimes())
		}
	}
	here.survived(o.name, before, o.edge)
	here.blames(nil)
}

// takesRoute publishes a route of the honest tenant, and fails the test unless it is served at once: configuration gets through whatever clients do.
func (s *site) takesRoute(during string) {
	s.Helper()
	name := "prompt-" + during
	s.apply(sharedRoute(name, s.namespace, name+".example.com", "/", "echo"))
	began := time.Now()
	s.answers(name+".example.com", "/", http.StatusOK, takesWithin)
	fmt.Printf("measured: %s: a new route is served after %d ms\n", during, time.Since(began).Milliseconds())
	s.remove(gatewayAPI, "HTTPRoute", name)
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
