//go:build integration || faults || hostile

// Package gateway tests the product in a cluster that has it: KUBECONFIG names the cluster, and the tests run in its network
// (scripts/test-gateway).
package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

const (
	gatewayAPI  = "gateway.networking.k8s.io/v1"
	system      = "shellac-system"
	operatorPod = "app.kubernetes.io/component=operator"
	gatewayPod  = "gateway.networking.k8s.io/gateway-name=edge"
)

// site is a namespace of a test's own, with a Gateway called edge and a Service called echo.
type site struct {
	*testing.T
	namespace string
	core      kubernetes.Interface
	objects   dynamic.Interface
	kinds     meta.RESTMapper
	address   string
	gateway   string // the namespace of the Gateway, where it is another
	client    *http.Client
}

// newSite makes the namespace, waits until its Gateway is Programmed, and removes it at the end.
func newSite(t *testing.T, labels map[string]string, manifests ...string) *site {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	s := &site{T: t, core: kubernetes.NewForConfigOrDie(config), objects: dynamic.NewForConfigOrDie(config), client: client()}
	s.kinds = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(config)))
	namespace, err := s.core.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-", Labels: labels}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.namespace = namespace.Name
	t.Cleanup(func() {
		// The test's own context has ended.
		if err := s.core.CoreV1().Namespaces().Delete(context.Background(), s.namespace, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		// Parameters are of no namespace; a test that has some calls them as its own.
		parameters := s.resource("gateway.varnish-software.com/v1alpha1", "GatewayClassParameters", "")
		if err := parameters.Delete(context.Background(), s.namespace, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	})
	s.apply("echo.yaml", "gateway.yaml")
	s.apply(manifests...)
	s.eventually("the Gateway is Programmed", time.Minute, s.hasAddress)
	return s
}

// hasAddress tells whether the Gateway is Programmed, and remembers its address.
func (s *site) hasAddress() (bool, string) {
	s.Helper()
	gateway := s.get("gateway.networking.k8s.io/v1", "Gateway", "edge")
	addresses, _, _ := unstructured.NestedSlice(gateway.Object, "status", "addresses")
	if condition(gateway.Object, "Programmed", "status", "conditions") != "True" || len(addresses) == 0 {
		return false, fmt.Sprint(gateway.Object["status"])
	}
	s.address = addresses[0].(map[string]any)["value"].(string)
	s.forgetConnections()
	return true, ""
}

// forgetConnections has the node forget whom connections to the address led to: it was another Gateway's before, whose pods ended
// without a word, and the port of a new connection may be that of an old one.
func (s *site) forgetConnections() {
	s.Helper()
	filter := &netlink.ConntrackFilter{}
	if err := filter.AddIP(netlink.ConntrackOrigDstIP, net.ParseIP(s.address)); err != nil {
		s.Fatal(err)
	}
	s.forget(filter)
}

func (s *site) forget(filter netlink.CustomConntrackFilter) {
	s.Helper()
	if _, err := netlink.ConntrackDeleteFilters(netlink.ConntrackTable, unix.AF_INET, filter); err != nil {
		s.Fatal(err)
	}
}

// misled matches connections to an address that lead to no pod. Who asked before kube-proxy knew the address was refused by the node itself, which
// does so again, for two minutes, whenever a connection comes from the same port.
type misled struct {
	address net.IP
}

func (m misled) MatchConntrackFlow(flow *netlink.ConntrackFlow) bool {
	return flow.Forward.DstIP.Equal(m.address) && flow.Reverse.SrcIP.Equal(m.address)
}

// parametersRef, behind gateway.yaml, has its Gateway take the parameters that are called as the namespace.
const parametersRef = "  infrastructure: {parametersRef: {group: gateway.varnish-software.com, kind: GatewayClassParameters, name: MY-NAMESPACE}}\n"

// client keeps connections, follows no redirect and gives up soon.
func client() *http.Client {
	return &http.Client{
		Timeout:       3 * time.Second,
		Transport:     &http.Transport{DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, MaxIdleConnsPerHost: 4},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// apply applies manifests of testdata, in which MY-NAMESPACE is that of the test, or texts that hold a line break.
func (s *site) apply(manifests ...string) {
	s.Helper()
	for _, manifest := range manifests {
		if !strings.Contains(manifest, "\n") {
			manifest = s.manifest(manifest)
		}
		manifest = strings.ReplaceAll(manifest, "MY-NAMESPACE", s.namespace)
		for _, document := range strings.Split(manifest, "\n---\n") {
			if err := s.applyOne(document); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// manifest is a text of testdata.
func (s *site) manifest(name string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

func (s *site) applyOne(document string) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil || object.Object == nil {
		return fmt.Errorf("%w in\n%s", err, document)
	}
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = s.namespace
	}
	_, err := s.resource(object.GetAPIVersion(), object.GetKind(), namespace).
		Apply(s.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: "test", Force: true})
	return err
}

func (s *site) resource(version, kind, namespace string) dynamic.ResourceInterface {
	s.Helper()
	group, number, ok := strings.Cut(version, "/")
	if !ok {
		group, number = "", version
	}
	mapping, err := s.kinds.RESTMapping(schema.GroupKind{Group: group, Kind: kind}, number)
	if err != nil {
		s.Fatal(err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return s.objects.Resource(mapping.Resource)
	}
	return s.objects.Resource(mapping.Resource).Namespace(namespace)
}

func (s *site) get(version, kind, name string) *unstructured.Unstructured {
	s.Helper()
	object, err := s.resource(version, kind, s.namespace).Get(s.Context(), name, metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return object
}

func (s *site) remove(version, kind, name string) {
	s.Helper()
	if err := s.resource(version, kind, s.namespace).Delete(s.Context(), name, metav1.DeleteOptions{}); err != nil {
		s.Fatal(err)
	}
}

// condition is the status of a condition in a list at a path; empty if there is none.
func condition(object map[string]any, kind string, path ...string) string {
	status, _ := conditionOf(object, kind, path...)
	return status
}

// conditionOf is the status of a condition in a list at a path, and its reason and words.
func conditionOf(object map[string]any, kind string, path ...string) (status, words string) {
	list, _, _ := unstructured.NestedSlice(object, path...)
	for _, entry := range list {
		if c, ok := entry.(map[string]any); ok && c["type"] == kind {
			return fmt.Sprint(c["status"]), fmt.Sprintf("%s: %s", c["reason"], c["message"])
		}
	}
	return "", ""
}

// status is what the Gateway answers for a host and a path; 0 if it does not.
func (s *site) status(host, path string) int {
	request, err := http.NewRequest(http.MethodGet, "http://"+s.address+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	request.Host = host
	response, err := s.client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0
	}
	return response.StatusCode
}

func (s *site) answers(host, path string, want int, within time.Duration) {
	s.Helper()
	s.eventually(fmt.Sprintf("%d from %s%s", want, host, path), within, func() (bool, string) {
		got := s.status(host, path)
		return got == want, fmt.Sprint(got)
	})
}

// eventually waits for something that others bring about.
func (s *site) eventually(what string, within time.Duration, done func() (bool, string)) {
	s.Helper()
	var seen string
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var yes bool
		if yes, seen = done(); yes {
			return
		}
	}
	s.Fatalf("%s: not within %s; last seen: %s", what, within, seen)
}
