//go:build integration

package gateway

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

const host = "echo.example.com"

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

// The strictest pod security, a user of the cluster's choice, and no API server when the container starts again.
func TestARestrictedNamespaceIsServedAndAgainWithoutTheAPIServer(t *testing.T) {
	s := newSite(t, map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}, "route.yaml")
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	chaperone := s.gatewayProcesses("java")
	s.component("stop", "kube-apiserver")
	started := false
	start := func() {
		if !started {
			s.component("start", "kube-apiserver")
			started = true
		}
	}
	defer start()
	if got := s.status(host, "/"); got != http.StatusOK {
		t.Errorf("%d while the API server is away", got)
	}
	s.kill(chaperone)
	s.answers(host, "/", http.StatusOK, 20*time.Second)
	start()
	s.eventually("the API server's return", 30*time.Second, func() (bool, string) {
		_, err := s.core.Discovery().ServerVersion()
		return err == nil, fmt.Sprint(err)
	})
	s.apply(route("later", "later.example.com", anyPath))
	s.answers("later.example.com", "/", http.StatusOK, 20*time.Second)
}

func TestAKilledVarnishdIsStartedAgainWithItsRoutes(t *testing.T) {
	s := newSite(t, nil, "route.yaml")
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	s.kill(s.gatewayProcesses("varnishd"))
	s.answers(host, "/", http.StatusOK, 5*time.Second)
}

func TestABadRegexIsRefusedAlone(t *testing.T) {
	s := newSite(t, nil, "route.yaml")
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	s.apply(route("bad", "bad.example.com", `{path: {type: RegularExpression, value: "/(a"}}`), route("good", "good.example.com", anyPath))
	s.answers("good.example.com", "/", http.StatusOK, 5*time.Second)
	if got := s.status(host, "/"); got != http.StatusOK {
		t.Errorf("%d from a route beside the bad one", got)
	}
	s.eventually("the bad route's status", 10*time.Second, func() (bool, string) {
		parents, _, _ := unstructured.NestedSlice(s.get("gateway.networking.k8s.io/v1", "HTTPRoute", "bad").Object, "status", "parents")
		if len(parents) != 1 {
			return false, fmt.Sprint(parents)
		}
		return condition(parents[0].(map[string]any), "Accepted", "conditions") == "False", fmt.Sprint(parents)
	})
}

func TestAConfigMapThatIsDeletedOrEditedByHandIsMadeAgain(t *testing.T) {
	s := newSite(t, nil, "route.yaml")
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	s.remove("v1", "ConfigMap", "edge-vcl")
	s.apply(route("later", "later.example.com", anyPath))
	s.answers("later.example.com", "/", http.StatusOK, 10*time.Second)
	_, err := s.core.CoreV1().ConfigMaps(s.namespace).Patch(t.Context(), "edge-vcl", types.MergePatchType,
		[]byte(`{"data":{"routing.json":"{}","main.vcl":"nonsense"}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.eventually("the operator's own text", 10*time.Second, func() (bool, string) {
		text, _, _ := unstructured.NestedString(s.get("v1", "ConfigMap", "edge-vcl").Object, "data", "main.vcl")
		return text != "nonsense" && text != "", text
	})
	for _, name := range []string{host, "later.example.com"} {
		s.answers(name, "/", http.StatusOK, 5*time.Second)
	}
}

func TestAReferenceGrantThatIsRemovedIs500WithinASecond(t *testing.T) {
	other := newSite(t, nil)
	s := newSite(t, nil)
	other.apply(fmt.Sprintf(`apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: others}
spec:
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: %s}]
  to: [{group: "", kind: Service}]
`, s.namespace))
	s.apply(fmt.Sprintf(`apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: across}
spec:
  parentRefs: [{name: edge, sectionName: web}]
  hostnames: [across.example.com]
  rules:
  - backendRefs: [{name: echo, namespace: %s, port: 80}]
`, other.namespace))
	s.answers("across.example.com", "/", http.StatusOK, 10*time.Second)
	other.remove("gateway.networking.k8s.io/v1beta1", "ReferenceGrant", "others")
	s.answers("across.example.com", "/", http.StatusInternalServerError, time.Second)
}

func TestANamespaceThatLosesItsLabelLosesItsRoute(t *testing.T) {
	s := newSite(t, map[string]string{"team": "shop"}, `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: labelled}
spec:
  parentRefs: [{name: edge, sectionName: labelled}]
  hostnames: [labelled.example.com]
  rules:
  - backendRefs: [{name: echo, port: 80}]
`)
	s.address += ":8080"
	s.answers("labelled.example.com", "/", http.StatusOK, 10*time.Second)
	_, err := s.core.CoreV1().Namespaces().Patch(t.Context(), s.namespace, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"team":"other"}}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.answers("labelled.example.com", "/", http.StatusNotFound, 5*time.Second)
}

func TestAnOperatorThatIsKilledInABurstFinishesIt(t *testing.T) {
	s := newSite(t, nil, "route.yaml")
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	const routes = 200
	for n := range routes {
		s.apply(route(fmt.Sprintf("r%d", n), fmt.Sprintf("r%d.example.com", n), anyPath))
		if n == routes/2 {
			s.kill(s.processes(system, operatorPod, "operator", "java"))
		}
	}
	if got := s.status(host, "/"); got != http.StatusOK {
		t.Errorf("%d while there is no operator", got)
	}
	s.answers(fmt.Sprintf("r%d.example.com", routes-1), "/", http.StatusOK, time.Minute)
	for n := range routes {
		s.answers(fmt.Sprintf("r%d.example.com", n), "/", http.StatusOK, 5*time.Second)
	}
}

// A pod that ends takes no request with it.
func TestARollingRestartUnderLoadLosesNothing(t *testing.T) {
	s := newSite(t, nil, "route.yaml")
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	var lock sync.Mutex
	asked, failed := 0, map[int]int{}
	for range 4 {
		load.Go(func() {
			for tick := time.NewTicker(20 * time.Millisecond); ctx.Err() == nil; <-tick.C {
				got := s.status(host, "/")
				lock.Lock()
				asked++
				if got != http.StatusOK {
					failed[got]++
				}
				lock.Unlock()
			}
		})
	}
	deployment := s.get("apps/v1", "Deployment", "edge")
	_, err := s.core.AppsV1().Deployments(s.namespace).Patch(t.Context(), "edge", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"now"}}}}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.eventually("a new pod, and the old one gone", time.Minute, func() (bool, string) {
		now, err := s.core.AppsV1().Deployments(s.namespace).Get(t.Context(), "edge", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		pods, err := s.core.CoreV1().Pods(s.namespace).List(t.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
		if err != nil {
			t.Fatal(err)
		}
		done := now.Generation > deployment.GetGeneration() && now.Status.ObservedGeneration >= now.Generation &&
			now.Status.UpdatedReplicas == now.Status.Replicas && now.Status.AvailableReplicas == now.Status.Replicas
		return done && len(pods.Items) == int(now.Status.Replicas), fmt.Sprintf("%+v, %d pods", now.Status, len(pods.Items))
	})
	stop()
	load.Wait()
	if len(failed) != 0 || asked < 200 {
		t.Errorf("of %d requests these failed, by status: %v", asked, failed)
	}
	fmt.Printf("measured: rolling restart of a gateway: %d requests, %d failed\n", asked, len(failed))
}
