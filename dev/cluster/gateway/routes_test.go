//go:build faults

package gateway

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

const (
	manyRoutes    = 10_000
	manyBackends  = 20
	atOnce        = 8
	oneMoreWithin = time.Second
)

func manyName(n int) string    { return fmt.Sprintf("r%d", n) }
func manyHost(n int) string    { return manyName(n) + ".example.com" }
func manyBackend(n int) string { return fmt.Sprintf("b%d", n%manyBackends) }

func TestTenThousandRoutesOfOneGatewayAreServed(t *testing.T) {
	s := newSite(t, nil, small)
	s.apply(s.manifest("gateway.yaml") + parametersRef)
	s.rolledOut(2)
	before := s.gatewayProcesses("varnishd")
	for n := range manyBackends {
		port := s.listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, manyBackend(n)+" for "+r.Host) }))
		s.apply(service(manyBackend(n)), slice(manyBackend(n)+"-1", manyBackend(n), port, nodeAddress))
	}

	accepted := s.accepted()
	start := time.Now()
	s.many(func(routes dynamic.ResourceInterface, n int) error {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(routeTo(manyName(n), manyHost(n), manyBackend(n))), &object.Object); err != nil {
			return err
		}
		_, err := routes.Create(t.Context(), object, metav1.CreateOptions{})
		return err
	})
	created := time.Now()
	s.attached(manyRoutes)
	attached := time.Now()
	s.allServed()
	served := time.Now()
	s.eventually("all routes Accepted", 5*time.Minute, func() (bool, string) {
		time.Sleep(100 * time.Millisecond)
		return accepted() == manyRoutes, fmt.Sprint(accepted())
	})
	fmt.Printf("measured: %d routes created in %.0f s; attached %.1f s after that, all of them asked %.1f s, all Accepted %.1f s\n", manyRoutes,
		created.Sub(start).Seconds(), attached.Sub(created).Seconds(), served.Sub(created).Seconds(), time.Since(created).Seconds())

	one := time.Now()
	s.apply(routeTo("more", "more.example.com", manyBackend(0)))
	s.answers("more.example.com", "/", http.StatusOK, oneMoreWithin)
	fmt.Printf("measured: one more than %d routes served after %d ms\n", manyRoutes, time.Since(one).Milliseconds())

	s.heldItsLimit(fmt.Sprintf("%d routes", manyRoutes), before)
	operator := s.processes(system, operatorPod, "operator", "java")[0]
	memory, err := operator.Memory()
	if err != nil || memory.Killed != 0 {
		t.Errorf("%d processes of the operator were killed for want of memory, %v", memory.Killed, err)
	}
	fmt.Printf("measured: %d routes: the operator had at most %d MiB\n", manyRoutes, memory.Peak/mebibyte)

	gone := time.Now()
	s.many(func(routes dynamic.ResourceInterface, n int) error {
		return routes.Delete(t.Context(), manyName(n), metav1.DeleteOptions{})
	})
	s.attached(1)
	s.answers(manyHost(manyRoutes/2), "/", http.StatusNotFound, 5*time.Second)
	s.answers("more.example.com", "/", http.StatusOK, time.Second)
	fmt.Printf("measured: %d routes deleted, and not served any more, in %.0f s\n", manyRoutes, time.Since(gone).Seconds())
}

// many does something about each route, several at a time.
func (s *site) many(do func(routes dynamic.ResourceInterface, n int) error) {
	s.Helper()
	routes := s.resource(gatewayAPI, "HTTPRoute", s.namespace)
	var doing errgroup.Group
	doing.SetLimit(atOnce)
	for n := range manyRoutes {
		doing.Go(func() error { return do(routes, n) })
	}
	if err := doing.Wait(); err != nil {
		s.Fatal(err)
	}
}

// attached waits until the Gateway says that so many routes are, and is Programmed.
func (s *site) attached(routes int64) {
	s.Helper()
	s.eventually(fmt.Sprintf("%d attached routes", routes), 2*time.Minute, func() (bool, string) {
		time.Sleep(100 * time.Millisecond)
		gateway := s.get(gatewayAPI, "Gateway", "edge").Object
		programmed := condition(gateway, "Programmed", "status", "conditions")
		listeners, _, _ := unstructured.NestedSlice(gateway, "status", "listeners")
		for _, entry := range listeners {
			if listener := entry.(map[string]any); listener["name"] == "web" {
				return listener["attachedRoutes"] == routes && programmed == "True", fmt.Sprintf("%v, Programmed %s", listener["attachedRoutes"], programmed)
			}
		}
		return false, "no such listener"
	})
}

// allServed asks every host until its backend answers.
func (s *site) allServed() {
	s.Helper()
	s.answers(manyHost(manyRoutes-1), "/", http.StatusOK, 20*time.Second)
	s.each(manyRoutes, func(c *connection, n int) error {
		_, err := c.exchange(manyHost(n), "/", true, func(response *http.Response, body []byte) error {
			if want := manyBackend(n) + " for " + manyHost(n); string(body) != want {
				return fmt.Errorf("%s, %q and not %q", response.Status, body, want)
			}
			return isOK(response, body)
		})
		return err
	})
}

// accepted watches the routes, and tells how many have the status that they are served. A list of all of them each second would take more
// of the API server than the statuses do. A watch that cannot follow thousands of them in a moment is ended by the server, and begun again: without
// a version it tells of all that there is first.
func (s *site) accepted() func() int {
	s.Helper()
	routes := s.resource(gatewayAPI, "HTTPRoute", s.namespace)
	var lock sync.Mutex
	accepted := map[string]bool{}
	go func() {
		for s.Context().Err() == nil {
			events, err := routes.Watch(s.Context(), metav1.ListOptions{})
			if err != nil {
				time.Sleep(time.Second)
				continue
			}
			for event := range events.ResultChan() {
				if route, ok := event.Object.(*unstructured.Unstructured); ok {
					lock.Lock()
					accepted[route.GetName()] = event.Type != watch.Deleted && isAccepted(route)
					lock.Unlock()
				}
			}
		}
	}()
	return func() int {
		lock.Lock()
		defer lock.Unlock()
		count := 0
		for _, yes := range accepted {
			if yes {
				count++
			}
		}
		return count
	}
}

func isAccepted(route *unstructured.Unstructured) bool {
	parents, _, _ := unstructured.NestedSlice(route.Object, "status", "parents")
	if len(parents) != 1 {
		return false
	}
	parent := parents[0].(map[string]any)
	return condition(parent, "Accepted", "conditions") == "True" && condition(parent, "ResolvedRefs", "conditions") == "True"
}
