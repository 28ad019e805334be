//go:build faults

package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const newRoutes = 20

// /api leads to a Service of a namespace that the pods have never heard of, and / to one that they know: until both are known, the host is not there.
func TestANewRouteIsNotFoundAndThenWholeOnEveryPod(t *testing.T) {
	s := newSite(t, nil, spread)
	s.apply(strings.TrimRight(s.manifest("gateway.yaml"), "\n") + "\n" + parametersRef)
	s.eventually("two pods", 30*time.Second, func() (bool, string) {
		on := s.onNodes()
		return len(on) == 2, fmt.Sprint(on)
	})
	s.rolledOut(0)
	known := s.listen(named("known"))
	s.apply(service("known"), slice("known-1", "known", known, nodeAddress), routeTo("known", "known.example.com", "known"))
	s.answers("known.example.com", "/", http.StatusOK, 10*time.Second)
	pods := s.podPorts()
	if len(pods) != 2 {
		t.Fatalf("two pods are needed: %v", pods)
	}
	for n := range newRoutes {
		s.publish(n, pods)
	}
	fmt.Printf("measured: %d routes to a new namespace: on %d pods each nothing but 404, then its backend\n", newRoutes, len(pods))
}

// publish makes one such route, and watches each pod meanwhile.
func (s *site) publish(n int, pods []string) {
	s.Helper()
	name := fmt.Sprintf("api%d", n)
	fresh, err := s.core.CoreV1().Namespaces().Create(s.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "fresh-"}}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = s.core.CoreV1().Namespaces().Delete(context.Background(), fresh.Name, metav1.DeleteOptions{})
	})
	there := *s
	there.namespace = fresh.Name
	grant, _ := across(s, &there)
	there.apply(grant, service("api"), slice("api-1", "api", s.listen(named(name)), nodeAddress))

	ctx, end := context.WithCancel(s.Context())
	defer end()
	var watching sync.WaitGroup
	watches := make([]*watchedPod, len(pods))
	for i, pod := range pods {
		watches[i] = &watchedPod{address: pod, host: name + ".example.com", want: "200 " + name}
		watching.Go(func() { watches[i].run(ctx) })
	}
	s.apply(fmt.Sprintf(`apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: %s}
spec:
  parentRefs: [{name: edge, sectionName: web}]
  hostnames: [%s.example.com]
  rules:
  - matches: [{path: {type: PathPrefix, value: /api}}]
    backendRefs: [{name: api, namespace: %s, port: 80}]
  - backendRefs: [{name: known, port: 80}]
`, name, name, fresh.Name))
	s.eventually("both pods serve "+name, 10*time.Second, func() (bool, string) {
		done := !slices.ContainsFunc(watches, func(w *watchedPod) bool { return !w.isDone() })
		return done, fmt.Sprint(watches[0].seen(), watches[len(watches)-1].seen())
	})
	time.Sleep(200 * time.Millisecond)
	end()
	watching.Wait()
	for _, watch := range watches {
		want := []string{"404", watch.want}
		if seen := watch.seen(); !slices.Equal(seen, want) {
			s.Errorf("pod %s answered for %s: %v, and not %v", watch.address, watch.host, seen, want)
		}
	}
}

// named answers with a name.
func named(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) }
}

// podPorts are the addresses at which the pods of the Gateway serve its port 80.
func (s *site) podPorts() (found []string) {
	s.Helper()
	front, err := s.core.CoreV1().Services(s.namespace).Get(s.Context(), "edge", metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	target := front.Spec.Ports[slices.IndexFunc(front.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == 80 })].TargetPort
	pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
	if err != nil {
		s.Fatal(err)
	}
	for _, pod := range pods.Items {
		found = append(found, net.JoinHostPort(pod.Status.PodIP, target.String()))
	}
	return found
}

// watchedPod is one that is asked for a path again and again, with the answers that it gave, each once in a row.
type watchedPod struct {
	address, host, want string

	lock    sync.Mutex
	answers []string
}

func (w *watchedPod) run(ctx context.Context) {
	c := client()
	defer c.CloseIdleConnections()
	for ctx.Err() == nil {
		answer, err := w.ask(ctx, c)
		if errors.Is(err, context.Canceled) {
			return
		}
		if err != nil {
			answer = brief(err)
		}
		w.lock.Lock()
		if len(w.answers) == 0 || w.answers[len(w.answers)-1] != answer {
			w.answers = append(w.answers, answer)
		}
		w.lock.Unlock()
		time.Sleep(time.Millisecond)
	}
}

func (w *watchedPod) ask(ctx context.Context, c *http.Client) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.address+"/api", nil)
	if err != nil {
		return "", err
	}
	request.Host = w.host
	response, err := c.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.StatusCode == http.StatusOK {
		return "200 " + string(body), err
	}
	return fmt.Sprint(response.StatusCode), err
}

func (w *watchedPod) seen() []string {
	w.lock.Lock()
	defer w.lock.Unlock()
	return slices.Clone(w.answers)
}

func (w *watchedPod) isDone() bool {
	seen := w.seen()
	return len(seen) > 0 && seen[len(seen)-1] == w.want
}
