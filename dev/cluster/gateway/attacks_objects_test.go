//go:build hostile

package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const someConfigMaps = 100

// Policies that name many ConfigMaps, which change each second.
func manyConfigMaps(a *arena) func() {
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
func slowWebhook(a *arena) func() {
	address := a.authority.serve(a.site, nodeAddress, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
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
	name := func(n int) string { return fmt.Sprintf("slow%d", n) }
	for n := range 30 {
		a.neighbour.apply(sharedRoute(name(n), a.namespace, name(n)+".example.com", "/", "public"))
		time.Sleep(objectPace / 10)
	}
	a.neighbour.applyInTurn(3, func(n int) string {
		return fmt.Sprintf("apiVersion: %s\nkind: Gateway\nmetadata: {name: %s}\nspec: {gatewayClassName: varnish, listeners: [{name: web, protocol: HTTP, port: 80}]}\n", gatewayAPI, name(n))
	})
	a.apply(sharedRoute("prompt", a.namespace, "prompt.example.com", "/", "echo"))
	a.answers("prompt.example.com", "/", http.StatusOK, 2*time.Second)
	a.eventually("the status of a route beside a slow webhook", 5*time.Second, func() (bool, string) {
		parents, _, _ := unstructured.NestedSlice(a.get(gatewayAPI, "HTTPRoute", "prompt").Object, "status", "parents")
		return len(parents) == 1, fmt.Sprint(parents)
	})
	a.remove(gatewayAPI, "HTTPRoute", "prompt")
	return func() {
		a.neighbour.remove("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", a.neighbour.namespace)
		for n := range 30 {
			a.neighbour.remove(gatewayAPI, "HTTPRoute", name(n))
		}
		a.neighbour.removeInTurn("Gateway", 3, name)
	}
}

// Pods that look as if they were the Gateway's, in a namespace that has no such Gateway: nobody asks them anything.
func falsePods(a *arena) func() {
	asked := a.answersStateForever()
	a.podAt(a.podOf("impostor", map[string]string{
		"app.kubernetes.io/managed-by":                "varnish-gateway-operator",
		"gateway.networking.k8s.io/gateway-name":      "edge",
		"gateway.networking.k8s.io/gateway-namespace": a.namespace,
	}))
	return func() {
		if got := asked.Load(); got != 0 {
			a.Errorf("a pod of nobody was asked for its state %d times", got)
		}
		a.neighbour.remove("v1", "Pod", "impostor")
	}
}

// A Gateway of the neighbour's own whose pod is his, too: it belongs to the right ReplicaSet, and what it answers does not end. A quota keeps the Deployment from making one that works.
func impostor(a *arena) func() {
	n := a.neighbour
	asked := a.answersStateForever()
	quota := func(pods int) string {
		return fmt.Sprintf("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: pods}\nspec: {hard: {pods: %q}}\n", fmt.Sprint(pods))
	}
	n.apply(quota(0), fmt.Sprintf("apiVersion: %s\nkind: Gateway\nmetadata: {name: own}\nspec: {gatewayClassName: varnish, listeners: [{name: web, protocol: HTTP, port: 80}]}\n", gatewayAPI))
	pod := a.podOf("impostor", nil)
	a.eventually("the ReplicaSet of the neighbour's Gateway", 10*time.Second, func() (bool, string) {
		sets, err := n.core.AppsV1().ReplicaSets(n.namespace).List(a.Context(), metav1.ListOptions{LabelSelector: "gateway.networking.k8s.io/gateway-name=own"})
		if err != nil || len(sets.Items) == 0 {
			return false, fmt.Sprint(err)
		}
		pod.Labels = sets.Items[0].Spec.Template.Labels
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(&sets.Items[0], sets.Items[0].GroupVersionKind())}
		pod.OwnerReferences[0].APIVersion, pod.OwnerReferences[0].Kind = "apps/v1", "ReplicaSet"
		return true, ""
	})
	// The controller, which was refused and waits longer each time, is not to be faster than the neighbour.
	time.Sleep(6 * time.Second)
	n.apply(quota(1))
	a.podAt(pod)
	return func() {
		got := asked.Load()
		fmt.Printf("measured: impostor: asked %d times, with an answer that does not end\n", got)
		// One that fails is asked again after two seconds, once some have failed.
		if got == 0 || got > 40 {
			a.Errorf("it was asked %d times", got)
		}
		n.remove(gatewayAPI, "Gateway", "own")
		n.remove("v1", "Pod", "impostor")
		n.remove("v1", "ResourceQuota", "pods")
	}
}

// answersStateForever listens where a pod would be asked for its state, and counts who asks.
func (a *arena) answersStateForever() *atomic.Int64 {
	a.Helper()
	listener, err := net.Listen("tcp4", nodeAddress+":8081")
	if err != nil {
		a.Fatal(err)
	}
	asked := &atomic.Int64{}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		piece := []byte(`{"version":"` + strings.Repeat("x", 64<<10))
		for r.Context().Err() == nil {
			if _, err := w.Write(piece); err != nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})}
	go func() { _ = server.Serve(listener) }()
	a.Cleanup(func() { _ = server.Close() })
	return asked
}

// podOf is a pod of the neighbour that no node ever runs.
func (a *arena) podOf(name string, labels map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "varnish-gateway", Image: "none"}}},
	}
}

// podAt makes a pod, and says that it runs at the address of the node.
func (a *arena) podAt(pod *corev1.Pod) {
	a.Helper()
	pods := a.core.CoreV1().Pods(a.neighbour.namespace)
	var made *corev1.Pod
	a.eventually("the pod "+pod.Name, 10*time.Second, func() (_ bool, words string) {
		var err error
		made, err = pods.Create(a.Context(), pod, metav1.CreateOptions{})
		return err == nil, fmt.Sprint(err)
	})
	made.Status.Phase = corev1.PodRunning
	made.Status.PodIP = nodeAddress
	made.Status.PodIPs = []corev1.PodIP{{IP: nodeAddress}}
	made.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	if _, err := pods.UpdateStatus(a.Context(), made, metav1.UpdateOptions{}); err != nil {
		a.Fatal(err)
	}
}

// A Gateway whose children would have the names of objects that are there: a Service, a Secret, and in another namespace, to which a route of it leads, a Role. The name of a certificate's
// Secret in earlier releases stands for all that collides with nothing.
func sameNames(a *arena) func() {
	n := a.neighbour
	other := n.newNeighbour()
	permission, _ := across(n, other)
	// As operator/children/Names has it.
	hash := sha256.Sum256([]byte(n.namespace + "/shop"))
	role := "shop-chaperone-" + hex.EncodeToString(hash[:])[:10]
	other.apply(permission, service("api"), fmt.Sprintf("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: %s, labels: {mine: \"yes\"}}\nrules: []\n", role))
	n.apply("apiVersion: v1\nkind: Service\nmetadata: {name: shop, labels: {mine: \"yes\"}}\nspec: {selector: {app: shop}, ports: [{port: 80}]}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: shop-certificates-index, labels: {mine: \"yes\"}}\ndata: {mine: eWVz}\n",
		a.authority.good("shop.example.com").secret("shop-tls"), shop(other.namespace))
	return func() {
		// What is left behind would be held against the attacks that follow.
		defer n.discard("Gateway", "shop")
		defer n.discard("HTTPRoute", "shop")
		names := func(object string) {
			// The operator looks again after half a minute at the latest.
			a.eventually("the Gateway names the "+object, 40*time.Second, func() (bool, string) {
				status, words := conditionOf(n.get(gatewayAPI, "Gateway", "shop").Object, "Programmed", "status", "conditions")
				return status == "False" && strings.Contains(words, object) && !strings.Contains(words, "shop-tls") && !strings.Contains(words, role), status + " " + words
			})
		}
		names("Secret shop-certificates-index")
		// Whoever owns the other namespace must not decide the condition of the Gateway.
		a.eventually("an Event names the Role", 20*time.Second, func() (bool, string) {
			return n.events("Role "+role+" in namespace "+other.namespace) > 0, "no Event names it"
		})
		// Pods, and the Service that leads to them, come after the configuration.
		n.isMine("v1", "Secret", "shop-certificates-index")
		n.remove("v1", "Secret", "shop-certificates-index")
		names("Service shop")
		n.remove(gatewayAPI, "Gateway", "shop")
		n.remove(gatewayAPI, "HTTPRoute", "shop")
		time.Sleep(2 * time.Second)
		n.isMine("v1", "Service", "shop")
		other.isMine("rbac.authorization.k8s.io/v1", "Role", role)
		if selector, _, _ := unstructured.NestedStringMap(n.get("v1", "Service", "shop").Object, "spec", "selector"); selector["app"] != "shop" {
			a.Errorf("the Service that was there before selects %v", selector)
		}
		n.remove("v1", "Service", "shop")
		n.remove("v1", "Secret", "shop-tls")
	}
}

// discard removes an object of Gateway API if it is there.
func (s *site) discard(kind, name string) {
	s.Helper()
	if err := s.resource(gatewayAPI, kind, s.namespace).Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		s.Error(err)
	}
}

// shop is a Gateway with a route to another namespace.
func shop(other string) string {
	return fmt.Sprintf(`apiVersion: %[1]s
kind: Gateway
metadata: {name: shop}
spec:
  gatewayClassName: varnish
  listeners:
  - {name: web, protocol: HTTP, port: 80}
  - {name: secure, hostname: shop.example.com, protocol: HTTPS, port: 443, tls: {certificateRefs: [{name: shop-tls}]}}
---
apiVersion: %[1]s
kind: HTTPRoute
metadata: {name: shop}
spec:
  parentRefs: [{name: shop}]
  hostnames: [shop.example.com]
  rules:
  - backendRefs: [{name: api, namespace: %[2]s, port: 80}]
`, gatewayAPI, other)
}

// isMine fails the test unless an object has the one label that it was made with.
func (s *site) isMine(version, kind, name string) {
	s.Helper()
	if got := s.get(version, kind, name).GetLabels(); len(got) != 1 || got["mine"] != "yes" {
		s.Errorf("the %s that was there before has the labels %v", kind, got)
	}
}
