//go:build hostile

package gateway

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// tenantAttacks are what the neighbour does with objects that he may write. Each starts, and tells how to end it and to look at the statuses.
var tenantAttacks = []struct {
	name  string
	start func(*testing.T, *arena) func()
}{
	{"huge-route", hugeRoute},
	{"namespace-flood", namespaceFlood},
	{"bad-routes", badRoutes},
	{"certificates", rotatingCertificates},
	{"false-pods", falsePods},
	{"same-names", sameNames},
}

// A manifest of some kilobytes whose rules, matches and hosts multiply.
func hugeRoute(t *testing.T, a *arena) func() {
	var text strings.Builder
	fmt.Fprintf(&text, "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: huge}\nspec:\n"+
		"  parentRefs: [{name: edge, namespace: %s, sectionName: web}]\n  hostnames:\n", a.namespace)
	for n := range 16 {
		fmt.Fprintf(&text, "  - h%d.huge.example.com\n", n)
	}
	text.WriteString("  rules:\n")
	for range 16 {
		text.WriteString("  - backendRefs: [{name: public, port: 80}]\n    filters:\n    - type: ResponseHeaderModifier\n      responseHeaderModifier:\n        set:\n")
		for n := range 16 {
			fmt.Fprintf(&text, "        - {name: X-%d, value: %s}\n", n, strings.Repeat("v", 600))
		}
		text.WriteString("    matches:\n")
		for n := range 8 {
			fmt.Fprintf(&text, "    - {path: {type: PathPrefix, value: /%d}}\n", n)
		}
	}
	a.neighbour.apply(text.String())
	return func() {
		a.refuses(t, "huge", "Accepted", "")
		a.neighbour.remove(gatewayAPI, "HTTPRoute", "huge")
	}
}

const floodOfRoutes = 12

// Routes that are each just small enough, more of them than a namespace has room for.
func namespaceFlood(t *testing.T, a *arena) func() {
	for n := range floodOfRoutes {
		a.neighbour.apply(largeRoute(fmt.Sprintf("flood%d", n), a.namespace))
	}
	return func() {
		here := *a.neighbour
		here.T = t
		here.eventually("the newest routes are refused, and the oldest is not", 20*time.Second, func() (bool, string) {
			first, _ := routeCondition(here.get(gatewayAPI, "HTTPRoute", "flood0"))
			last, words := routeCondition(here.get(gatewayAPI, "HTTPRoute", fmt.Sprintf("flood%d", floodOfRoutes-1)))
			return first == "True" && last == "False" && strings.Contains(words, "namespace's share"), first + ", " + last + " " + words
		})
		for n := range floodOfRoutes {
			here.remove(gatewayAPI, "HTTPRoute", fmt.Sprintf("flood%d", n))
		}
	}
}

// largeRoute takes some 800 KiB of a table: one entry for each of its hosts and matches, each with its filters.
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

// routeCondition is the Accepted of a route's first parent, with its words.
func routeCondition(route *unstructured.Unstructured) (status, words string) {
	parents, _, _ := unstructured.NestedSlice(route.Object, "status", "parents")
	if len(parents) == 0 {
		return "", "no status"
	}
	return conditionOf(parents[0].(map[string]any), "Accepted", "conditions")
}

func badRoutes(t *testing.T, a *arena) func() {
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
		a.refuses(t, "bad-pattern", "Accepted", "")
		for name := range bad {
			a.neighbour.remove(gatewayAPI, "HTTPRoute", name)
		}
	}
}

// refuses waits until a route of the neighbour has a condition that is False and holds the words.
func (a *arena) refuses(t *testing.T, route, kind, words string) {
	t.Helper()
	here := *a.neighbour
	here.T = t
	here.eventually("the refusal of "+route, 20*time.Second, func() (bool, string) {
		parents, _, _ := unstructured.NestedSlice(here.get(gatewayAPI, "HTTPRoute", route).Object, "status", "parents")
		if len(parents) == 0 {
			return false, "no status"
		}
		status, said := conditionOf(parents[0].(map[string]any), kind, "conditions")
		return status == "False" && strings.Contains(said, words), status + " " + said
	})
}

// A certificate that changes each second.
func rotatingCertificates(t *testing.T, a *arena) func() {
	stop := make(chan struct{})
	var rotating sync.WaitGroup
	rotating.Go(func() {
		for {
			a.apply(a.authority.good(rotatingHost).secret("rotating"))
			select {
			case <-stop:
				return
			case <-time.After(time.Second):
			}
		}
	})
	return func() {
		close(stop)
		rotating.Wait()
		a.greets(a.authority, rotatingHost, 40*time.Second)
	}
}

// Pods that look as if they were the Gateway's.
func falsePods(t *testing.T, a *arena) func() {
	a.neighbour.apply(fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata:
  name: impostor
  labels: {app.kubernetes.io/managed-by: varnish-gateway-operator, gateway.networking.k8s.io/gateway-name: edge, gateway.networking.k8s.io/gateway-namespace: %s}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: varnish-gateway
    image: registry.k8s.io/gateway-api/conformance/echo-basic:v0.2.0
    env: [{name: HTTP_PORT, value: "8081"}]
`, a.namespace))
	return func() { a.neighbour.remove("v1", "Pod", "impostor") }
}

// A Gateway whose children would have the names of objects that are there.
func sameNames(t *testing.T, a *arena) func() {
	a.neighbour.apply(`apiVersion: v1
kind: Service
metadata: {name: shop}
spec: {selector: {app: shop}, ports: [{port: 80}]}
`)
	a.neighbour.apply(`apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: shop}
spec:
  gatewayClassName: varnish
  listeners: [{name: web, protocol: HTTP, port: 80}]
`)
	return func() {
		here := *a.neighbour
		here.T = t
		here.eventually("the Gateway names the Service", 20*time.Second, func() (bool, string) {
			status, words := conditionOf(here.get(gatewayAPI, "Gateway", "shop").Object, "Programmed", "status", "conditions")
			return status == "False" && strings.Contains(words, "shop"), status + " " + words
		})
		here.remove(gatewayAPI, "Gateway", "shop")
		time.Sleep(2 * time.Second)
		service, err := here.core.CoreV1().Services(here.namespace).Get(t.Context(), "shop", metav1.GetOptions{})
		if err != nil || service.Spec.Selector["app"] != "shop" {
			t.Errorf("the Service that was there before: %v, %v", service, err)
		}
	}
}
