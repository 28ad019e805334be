//go:build hostile

package gateway

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// tenantAttacks are what the neighbour does with objects that he may write, and those of his objects whose statuses name him for it. Each starts, and returns how to end it.
var tenantAttacks = []struct {
	name     string
	culprits []string
	start    func(*site, *arena) func()
}{
	{"huge-route", []string{"HTTPRoute huge"}, hugeRoute},
	{"namespace-flood", floods(), namespaceFlood},
	{"bad-routes", []string{"HTTPRoute bad-pattern", "HTTPRoute big-pattern"}, badRoutes},
	{"unknown-endpoints", nil, unknownEndpoints},
	{"flapping-endpoints", nil, flappingEndpoints},
	{"certificates", nil, rotatingCertificates},
	{"huge-chain", []string{"ListenerSet huge-chain"}, hugeChain},
	{"many-ports", []string{"ListenerSet many-ports"}, manyPorts},
	{"many-config-maps", nil, manyConfigMaps},
	{"slow-webhook", nil, slowWebhook},
	{"false-pods", nil, falsePods},
	{"same-names", []string{"Gateway shop"}, sameNames},
}

// A manifest of some kilobytes whose rules, matches and hosts multiply.
func hugeRoute(_ *site, a *arena) func() {
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
	return func() { a.neighbour.remove(gatewayAPI, "HTTPRoute", "huge") }
}

const (
	floodOfRoutes = 12
	// As many as a namespace has room for at 512 MiB.
	floodTaken = 4
)

func floods() (refused []string) {
	for n := floodTaken; n < floodOfRoutes; n++ {
		refused = append(refused, fmt.Sprintf("HTTPRoute flood%02d", n))
	}
	return refused
}

// Routes that are each just small enough, more of them than a namespace has room for. The newest are refused.
func namespaceFlood(_ *site, a *arena) func() {
	for n := range floodOfRoutes {
		a.neighbour.apply(largeRoute(fmt.Sprintf("flood%02d", n), a.namespace))
	}
	return func() {
		for n := range floodOfRoutes {
			a.neighbour.remove(gatewayAPI, "HTTPRoute", fmt.Sprintf("flood%02d", n))
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

func badRoutes(_ *site, a *arena) func() {
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

// Each second a route comes whose Service has no endpoints that anybody knows of, beside a rule that would take its requests.
func unknownEndpoints(s *site, a *arena) func() {
	made := 0
	end := eachSecond(func() {
		name := fmt.Sprintf("unknown%d", made)
		made++
		a.neighbour.apply(service(name), sharedRoute(name, a.namespace, name+".example.com", "/api", name)+
			"  - backendRefs: [{name: public, port: 80}]\n")
		deadline := time.Now().Add(900 * time.Millisecond)
		for time.Now().Before(deadline) {
			if got := s.status(name+".example.com", "/api"); got != http.StatusNotFound && got != http.StatusServiceUnavailable {
				s.Errorf("%d for a path whose endpoints are unknown", got)
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	return func() {
		end()
		for n := range made {
			a.neighbour.remove(gatewayAPI, "HTTPRoute", fmt.Sprintf("unknown%d", n))
			a.neighbour.remove("v1", "Service", fmt.Sprintf("unknown%d", n))
		}
	}
}

// eachSecond does something each second until it is told to end.
func eachSecond(do func()) (end func()) {
	stop := make(chan struct{})
	var doing sync.WaitGroup
	doing.Go(func() {
		for {
			do()
			select {
			case <-stop:
				return
			case <-time.After(time.Second):
			}
		}
	})
	return func() {
		close(stop)
		doing.Wait()
	}
}

// A thousand endpoints that come and go, of which one is real.
func flappingEndpoints(_ *site, a *arena) func() {
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

// A certificate that changes each second.
func rotatingCertificates(s *site, a *arena) func() {
	end := eachSecond(func() { a.apply(a.authority.good(rotatingHost).secret("rotating")) })
	return func() {
		end()
		s.greets(a.authority, rotatingHost, 40*time.Second)
	}
}

// listenerSet adds listeners of the neighbour to the Gateway.
func listenerSet(name, gateway, listeners string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: ListenerSet\nmetadata: {name: %s}\nspec:\n  parentRef: {name: edge, namespace: %s}\n  listeners:\n%s",
		gatewayAPI, name, gateway, listeners)
}

// One chain of 900 KB would fill a Secret. The certificate of the honest tenant changes meanwhile, and is served.
func hugeChain(s *site, a *arena) func() {
	whole := a.authority.good("huge.example.com")
	whole.certificate = bytes.Repeat(whole.certificate, 640<<10/len(whole.certificate))
	a.neighbour.apply(whole.secret("huge"), listenerSet("huge-chain", a.namespace,
		"  - {name: huge, hostname: huge.example.com, protocol: HTTPS, port: 443, tls: {certificateRefs: [{name: huge}]}}\n"))
	a.apply(a.authority.good(rotatingHost).secret("rotating"))
	return func() {
		s.greets(a.authority, rotatingHost, 10*time.Second)
		a.neighbour.remove(gatewayAPI, "ListenerSet", "huge-chain")
		a.neighbour.remove("v1", "Secret", "huge")
	}
}

// More ports than a namespace may add.
func manyPorts(_ *site, a *arena) func() {
	var listeners strings.Builder
	for n := range 60 {
		fmt.Fprintf(&listeners, "  - {name: p%d, protocol: HTTP, port: %d}\n", n, 9000+n)
	}
	a.neighbour.apply(listenerSet("many-ports", a.namespace, listeners.String()))
	return func() { a.neighbour.remove(gatewayAPI, "ListenerSet", "many-ports") }
}

const someConfigMaps = 100

// Policies that name many ConfigMaps, which change each second.
func manyConfigMaps(_ *site, a *arena) func() {
	name := func(n int) string { return fmt.Sprintf("named%d", n) }
	a.neighbour.apply(service("named"))
	for n := range someConfigMaps {
		a.neighbour.apply(fmt.Sprintf(`apiVersion: %s
kind: BackendTLSPolicy
metadata: {name: %s}
spec:
  targetRefs: [{group: "", kind: Service, name: named}]
  validation: {hostname: named.example.com, caCertificateRefs: [{group: "", kind: ConfigMap, name: %[2]s}]}
`, gatewayAPI, name(n)))
	}
	changes := 0
	end := eachSecond(func() {
		changes++
		for n := range someConfigMaps {
			a.neighbour.apply(fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {ca.crt: %q}\n", name(n), fmt.Sprint(changes)))
		}
	})
	return func() {
		end()
		for n := range someConfigMaps {
			a.neighbour.remove(gatewayAPI, "BackendTLSPolicy", name(n))
			a.neighbour.remove("v1", "ConfigMap", name(n))
		}
		a.neighbour.remove("v1", "Service", "named")
	}
}

// A webhook of the neighbour's namespace keeps every write there waiting for as long as it may. A new route of the honest tenant is served at once all the same, and has its status.
func slowWebhook(s *site, a *arena) func() {
	address := a.authority.serve(s, nodeAddress, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(9 * time.Second):
		}
	}))
	// Statuses and children alike.
	a.neighbour.apply(fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: %[1]s}
webhooks:
- name: slow.example.com
  clientConfig: {url: "https://%[2]s/", caBundle: %[3]s}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE, DELETE], resources: ["services", "deployments", "secrets", "serviceaccounts", "httproutes/status", "gateways/status"]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[1]s}}
  sideEffects: None
  admissionReviewVersions: [v1]
  timeoutSeconds: 10
  failurePolicy: Ignore
`, a.neighbour.namespace, address, a.authority.base64()))
	for n := range 30 {
		name := fmt.Sprintf("slow%d", n)
		a.neighbour.apply(sharedRoute(name, a.namespace, name+".example.com", "/", "public"))
	}
	for n := range 3 {
		a.neighbour.apply(fmt.Sprintf("apiVersion: %s\nkind: Gateway\nmetadata: {name: slow%d}\nspec: {gatewayClassName: varnish, listeners: [{name: web, protocol: HTTP, port: 80}]}\n", gatewayAPI, n))
	}
	s.apply(sharedRoute("prompt", s.namespace, "prompt.example.com", "/", "echo"))
	s.answers("prompt.example.com", "/", http.StatusOK, 2*time.Second)
	s.eventually("the status of a route beside a slow webhook", 5*time.Second, func() (bool, string) {
		parents, _, _ := unstructured.NestedSlice(s.get(gatewayAPI, "HTTPRoute", "prompt").Object, "status", "parents")
		return len(parents) == 1, fmt.Sprint(parents)
	})
	s.remove(gatewayAPI, "HTTPRoute", "prompt")
	return func() {
		a.neighbour.remove("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", a.neighbour.namespace)
		for n := range 30 {
			a.neighbour.remove(gatewayAPI, "HTTPRoute", fmt.Sprintf("slow%d", n))
		}
		for n := range 3 {
			a.neighbour.remove(gatewayAPI, "Gateway", fmt.Sprintf("slow%d", n))
		}
	}
}

// Pods that look as if they were the Gateway's.
func falsePods(_ *site, a *arena) func() {
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
func sameNames(s *site, a *arena) func() {
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
		here.T = s.T
		here.eventually("the Gateway names the Service", 20*time.Second, func() (bool, string) {
			status, words := conditionOf(here.get(gatewayAPI, "Gateway", "shop").Object, "Programmed", "status", "conditions")
			return status == "False" && strings.Contains(words, "Service shop"), status + " " + words
		})
		here.remove(gatewayAPI, "Gateway", "shop")
		time.Sleep(2 * time.Second)
		service, err := here.core.CoreV1().Services(here.namespace).Get(s.Context(), "shop", metav1.GetOptions{})
		if err != nil || service.Spec.Selector["app"] != "shop" {
			s.Errorf("the Service that was there before: %v, %v", service, err)
		}
	}
}
