//go:build faults

package gateway

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// spread has two pods, on nodes of their own where there are two.
const spread = `apiVersion: gateway.varnish-software.com/v1alpha1
kind: GatewayClassParameters
metadata: {name: MY-NAMESPACE}
spec:
  replicas: 2
  podDisruptionBudget: {maxUnavailable: 1}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {gateway.networking.k8s.io/gateway-name: edge}}}
`

// One node after the other is drained; the backends stay where they are, as pods of a DaemonSet do.
func TestNodesThatAreDrainedUnderLoadLoseNothing(t *testing.T) {
	a := newAuthority(t)
	s := newSite(t, nil, "steady.yaml", a.good(steady).secret("steady"), spread)
	nodes := s.nodes()
	if len(nodes) != 2 {
		t.Fatalf("two nodes are needed: %v", nodes)
	}
	s.remove("apps/v1", "Deployment", "echo")
	s.apply(onEveryNode(s.manifest("echo.yaml")))
	s.apply(s.secured("steady") + parametersRef)
	s.eventually("two pods", 30*time.Second, func() (bool, string) {
		on := s.onNodes()
		return len(on) == 2, fmt.Sprint(on)
	})
	s.rolledOut(0)
	s.greets(a, steady, 10*time.Second)
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	plain, secure := s.startLoad(nil), s.startLoad(a.client(steady))
	for _, node := range []string{nodes[1], nodes[0]} {
		t.Cleanup(func() { s.kubectl("uncordon", node) })
		s.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=2m")
		s.rolledOut(0)
		if on := s.onNodes(); on[node] != 0 {
			t.Errorf("%s is drained, and has pods of the Gateway: %v", node, on)
		}
		s.kubectl("uncordon", node)
	}
	plain.lostNothing("two nodes drained one after the other, over HTTP")
	secure.lostNothing("two nodes drained one after the other, over HTTPS")
}

// onEveryNode makes a DaemonSet of a Deployment.
func onEveryNode(deployment string) string {
	return strings.NewReplacer("kind: Deployment", "kind: DaemonSet", "  replicas: 1\n", "").Replace(deployment)
}

// onNodes counts the pods of the Gateway on each node.
func (s *site) onNodes() map[string]int {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
	if err != nil {
		s.Fatal(err)
	}
	on := map[string]int{}
	for _, pod := range pods.Items {
		on[pod.Spec.NodeName]++
	}
	return on
}

func (s *site) nodes() (names []string) {
	s.Helper()
	list, err := s.core.CoreV1().Nodes().List(s.Context(), metav1.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	for _, node := range list.Items {
		names = append(names, node.Name)
	}
	return names
}

func (s *site) kubectl(args ...string) {
	s.Helper()
	if out, err := exec.Command("kubectl", args...).CombinedOutput(); err != nil {
		s.Errorf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
