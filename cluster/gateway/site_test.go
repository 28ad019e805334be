//go:build integration

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
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
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

	"shellac.dev/cluster/internal/usage"
)

const (
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
	})
	s.apply("echo.yaml", "gateway.yaml")
	s.apply(manifests...)
	s.eventually("the Gateway is Programmed", time.Minute, func() (bool, string) {
		gateway := s.get("gateway.networking.k8s.io/v1", "Gateway", "edge")
		addresses, _, _ := unstructured.NestedSlice(gateway.Object, "status", "addresses")
		if condition(gateway.Object, "Programmed", "status", "conditions") != "True" || len(addresses) == 0 {
			return false, fmt.Sprint(gateway.Object["status"])
		}
		s.address = addresses[0].(map[string]any)["value"].(string)
		return true, ""
	})
	return s
}

// client keeps connections, follows no redirect and gives up soon.
func client() *http.Client {
	return &http.Client{
		Timeout:       3 * time.Second,
		Transport:     &http.Transport{DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, MaxIdleConnsPerHost: 4},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// apply applies manifests of testdata, in which NAMESPACE is that of the test, or texts that hold a line break.
func (s *site) apply(manifests ...string) {
	s.Helper()
	for _, manifest := range manifests {
		if !strings.Contains(manifest, "\n") {
			text, err := os.ReadFile(filepath.Join("testdata", manifest))
			if err != nil {
				s.Fatal(err)
			}
			manifest = string(text)
		}
		manifest = strings.ReplaceAll(manifest, "NAMESPACE", s.namespace)
		for _, document := range strings.Split(manifest, "\n---\n") {
			s.applyOne(document)
		}
	}
}

func (s *site) applyOne(document string) {
	s.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil || object.Object == nil {
		s.Fatalf("%v in\n%s", err, document)
	}
	if object.GetNamespace() == "" {
		object.SetNamespace(s.namespace)
	}
	_, err := s.resource(object.GetAPIVersion(), object.GetKind(), object.GetNamespace()).
		Apply(s.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: "test", Force: true})
	if err != nil {
		s.Fatal(err)
	}
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
	list, _, _ := unstructured.NestedSlice(object, path...)
	for _, entry := range list {
		if c, ok := entry.(map[string]any); ok && c["type"] == kind {
			return fmt.Sprint(c["status"])
		}
	}
	return ""
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

// processes are those of a program in a container of the pods with a label, at least one.
func (s *site) processes(namespace, selector, container, program string) []usage.Process {
	s.Helper()
	var found []usage.Process
	for _, process := range s.allProcesses(namespace, selector, container) {
		if process.Program == program {
			found = append(found, process)
		}
	}
	if len(found) == 0 {
		s.Fatalf("no %s runs in %s of %s", program, container, selector)
	}
	return found
}

func (s *site) allProcesses(namespace, selector, container string) []usage.Process {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(namespace).List(s.Context(), metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		s.Fatal(err)
	}
	var found []usage.Process
	for _, pod := range pods.Items {
		for _, status := range pod.Status.ContainerStatuses {
			if status.Name != container || status.ContainerID == "" {
				continue
			}
			all, err := usage.Of(status.ContainerID)
			if err != nil {
				s.Fatal(err)
			}
			found = append(found, all...)
		}
	}
	return found
}

func (s *site) gatewayProcesses(program string) []usage.Process {
	s.Helper()
	return s.processes(s.namespace, gatewayPod, "varnish-gateway", program)
}

func (s *site) kill(processes []usage.Process) {
	s.Helper()
	for _, process := range processes {
		if err := syscall.Kill(process.PID, syscall.SIGKILL); err != nil {
			s.Fatal(err)
		}
	}
}

// component stops or starts a component of the cluster.
func (s *site) component(verb, name string) {
	s.Helper()
	home, err := filepath.Abs("../..")
	if err != nil {
		s.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(home, "bin", "cluster"), verb, name, "--name", os.Getenv("SHELLAC_CLUSTER")).CombinedOutput()
	if err != nil {
		s.Fatalf("%v\n%s", err, out)
	}
}
