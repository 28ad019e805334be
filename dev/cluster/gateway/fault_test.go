//go:build integration

package gateway

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"shellac.dev/cluster/internal/usage"
)

const host = "echo.example.com"

// The strictest pod security, a user of the cluster's choice that no image knows, and no API server when the container starts again.
func TestARestrictedNamespaceIsServedByAnyUserAndAgainWithoutTheAPIServer(t *testing.T) {
	a := newAuthority(t)
	s := newSite(t, map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}, "steady.yaml", a.good(steady).secret("steady"))
	s.apply(s.secured("steady"))
	s.runAs(1000770000)
	serves := func(within time.Duration) {
		t.Helper()
		s.eventually("answers over HTTP", within, func() (bool, string) { return s.asksSteady(nil) })
		s.eventually("answers over HTTPS", within, func() (bool, string) { return s.asksSteady(a.client(steady)) })
	}
	serves(10 * time.Second)
	chaperone := s.gatewayProcesses("java")
	s.keepsKeysInMemory(chaperone)
	s.component("stop", "kube-apiserver")
	start := sync.OnceFunc(func() { s.component("start", "kube-apiserver") })
	defer start()
	serves(time.Second)
	s.kill(chaperone)
	serves(20 * time.Second)
	start()
	s.eventually("the API server's return", 30*time.Second, func() (bool, string) {
		_, err := s.core.Discovery().ServerVersion()
		return err == nil, fmt.Sprint(err)
	})
	s.apply(route("later", "later.example.com", anyPath))
	s.answers("later.example.com", "/", http.StatusOK, 20*time.Second)
}

// keepsKeysInMemory looks whether what the processes see in the folder of private keys is on no disk.
func (s *site) keepsKeysInMemory(processes []usage.Process) {
	s.Helper()
	for _, process := range processes {
		mounts, err := os.ReadFile(fmt.Sprintf("/proc/%d/mounts", process.PID))
		if err != nil || !regexp.MustCompile(`(?m)^tmpfs (/var)?/run/varnish/edge tmpfs rw,.*size=32768k`).Match(mounts) {
			s.Errorf("the folder of private keys is no tmpfs of 32 MiB, as without a memory limit: %v\n%s", err, mounts)
		}
	}
}

// runAs has the Gateway's pods run as a user, as a cluster would that gives each namespace one of its own, and looks whether they do.
func (s *site) runAs(user int) {
	s.Helper()
	before := s.get("apps/v1", "Deployment", "edge").GetGeneration()
	_, err := s.core.AppsV1().Deployments(s.namespace).Patch(s.Context(), "edge", types.StrategicMergePatchType,
		fmt.Appendf(nil, `{"spec":{"template":{"spec":{"securityContext":{"runAsUser":%d}}}}}`, user), metav1.PatchOptions{})
	if err != nil {
		s.Fatal(err)
	}
	s.rolledOut(before + 1)
	for _, program := range []string{"java", "varnishd", "haproxy"} {
		s.eventually(program+" of that user", 10*time.Second, func() (bool, string) {
			for _, process := range s.gatewayProcesses(program) {
				status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.PID))
				if err != nil || !strings.Contains(string(status), fmt.Sprintf("\nUid:\t%d\t%[1]d\t%[1]d\t", user)) {
					return false, fmt.Sprint(err, string(status))
				}
			}
			return true, ""
		})
	}
}

func TestAKilledVarnishdIsStartedAgainWithItsRoutes(t *testing.T) {
	s := newSite(t, nil, "steady.yaml")
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	s.kill(s.gatewayProcesses("varnishd"))
	s.servesAgain("varnishd", nil, 3*time.Second)
	if got := s.restarts(); got != 0 {
		t.Errorf("the container was restarted %d times, where its chaperone had only to start varnishd", got)
	}
}

// Without its first process the container ends; the next begins with what the one before left on disk.
func TestAKilledChaperoneIsStartedAgainWithItsRoutes(t *testing.T) {
	s := newSite(t, nil, "steady.yaml")
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	s.kill(s.gatewayProcesses("java"))
	s.servesFromNowOn("chaperone", 15*time.Second)
	s.apply(route("later", "later.example.com", anyPath))
	s.answers("later.example.com", "/", http.StatusOK, 5*time.Second)
	s.eventually("one restart of the container", 10*time.Second, func() (bool, string) { return s.restarts() == 1, fmt.Sprint(s.restarts()) })
}

func TestAKilledHAProxyIsStartedAgainAndPlainHTTPDoesNotNotice(t *testing.T) {
	a := newAuthority(t)
	s := newSite(t, nil, "steady.yaml", a.good(steady).secret("steady"))
	s.apply(s.secured("steady"))
	s.greets(a, steady, 10*time.Second)
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	plain := s.startLoad(nil)
	s.kill(s.gatewayProcesses("haproxy"))
	s.servesAgain("HAProxy", a.client(steady), 3*time.Second)
	plain.lostNothing("HAProxy killed, over HTTP")
	if got := s.restarts(); got != 0 {
		t.Errorf("the container was restarted %d times, where its chaperone had only to start HAProxy", got)
	}
}

// servesAgain waits for a right answer on a new connection, after a process was killed, and for three more.
func (s *site) servesAgain(killed string, config *tls.Config, within time.Duration) {
	s.Helper()
	start := time.Now()
	s.eventually("answers after "+killed+" was killed", within, func() (bool, string) { return s.asksSteady(config) })
	fmt.Printf("measured: %s killed: served again after %d ms\n", killed, time.Since(start).Milliseconds())
	for range 3 {
		if ok, words := s.asksSteady(config); !ok {
			s.Errorf("served once after %s was killed, and then not: %s", killed, words)
		}
	}
}

// servesFromNowOn waits for right answers that go on for two seconds. A container that was started again may answer before the cluster has noticed
// that it was gone: then it is left out for a moment, until it is found ready.
func (s *site) servesFromNowOn(killed string, within time.Duration) {
	s.Helper()
	start := time.Now()
	var since time.Time
	s.eventually("lasting answers after "+killed+" was killed", within, func() (bool, string) {
		since = time.Now()
		for time.Since(since) < 2*time.Second {
			if ok, words := s.asksSteady(nil); !ok {
				return false, words
			}
			time.Sleep(50 * time.Millisecond)
		}
		return true, ""
	})
	fmt.Printf("measured: %s killed: served again after %d ms\n", killed, since.Sub(start).Milliseconds())
}

// asksSteady tells whether the route of steady.yaml answers on a new connection, over TLS where a configuration is given.
func (s *site) asksSteady(config *tls.Config) (bool, string) {
	address := s.address + ":80"
	if config != nil {
		address = s.address + ":443"
	}
	c, err := dial(address, config)
	if err != nil {
		return false, err.Error()
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, err = c.exchange(steady, "/again", false, func(response *http.Response, body []byte) error {
		return s.isSteady("/again", response, body)
	})
	return err == nil, fmt.Sprint(err)
}

func TestAConfigMapThatIsDeletedOrEditedByHandIsMadeAgain(t *testing.T) {
	s := newSite(t, nil, "steady.yaml")
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	load := s.startLoad(nil)
	s.remove("v1", "ConfigMap", "edge-vcl")
	s.eventually("the ConfigMap", 5*time.Second, func() (bool, string) {
		_, err := s.core.CoreV1().ConfigMaps(s.namespace).Get(t.Context(), "edge-vcl", metav1.GetOptions{})
		return err == nil, fmt.Sprint(err)
	})
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
	for _, name := range []string{steady, "later.example.com"} {
		s.answers(name, "/", http.StatusOK, 5*time.Second)
	}
	load.lostNothing("ConfigMap deleted, and edited to nonsense")
}

func TestAReferenceGrantThatIsRemovedIs500WithinASecond(t *testing.T) {
	other := newSite(t, nil)
	s := newSite(t, nil)
	grant, route := across(s, other)
	other.apply(grant)
	s.apply(route)
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
	s := newSite(t, nil, "steady.yaml")
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	load := s.startLoad(nil)
	const routes = 200
	for n := range routes {
		s.apply(route(fmt.Sprintf("r%d", n), fmt.Sprintf("r%d.example.com", n), anyPath))
		if n == routes/2 {
			s.kill(s.processes(system, operatorPod, "operator", "java"))
		}
	}
	s.answers(fmt.Sprintf("r%d.example.com", routes-1), "/", http.StatusOK, time.Minute)
	for n := range routes {
		s.answers(fmt.Sprintf("r%d.example.com", n), "/", http.StatusOK, 5*time.Second)
	}
	load.lostNothing("operator killed in a burst")
}

// A pod that ends takes no request with it.
func TestARollingRestartUnderLoadLosesNothing(t *testing.T) {
	a := newAuthority(t)
	s := newSite(t, nil, "steady.yaml", a.good(steady).secret("steady"))
	s.apply(s.secured("steady"))
	s.greets(a, steady, 10*time.Second)
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	plain, secure := s.startLoad(nil), s.startLoad(a.client(steady))
	before := s.get("apps/v1", "Deployment", "edge").GetGeneration()
	_, err := s.core.AppsV1().Deployments(s.namespace).Patch(t.Context(), "edge", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"now"}}}}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.rolledOut(before + 1)
	plain.lostNothing("rolling restart, over HTTP")
	secure.lostNothing("rolling restart, over HTTPS")
}
