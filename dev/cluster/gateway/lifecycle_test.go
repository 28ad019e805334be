//go:build faults

package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// children are the objects that there are for the Gateway, as KIND of NAMESPACE.
func (s *site) children() []string {
	s.Helper()
	var found []string
	for _, kind := range [][2]string{
		{"apps/v1", "Deployment"}, {"apps/v1", "ReplicaSet"}, {"v1", "Pod"}, {"v1", "Service"}, {"v1", "ConfigMap"}, {"v1", "Secret"}, {"v1", "ServiceAccount"},
		{"policy/v1", "PodDisruptionBudget"}, {"rbac.authorization.k8s.io/v1", "Role"}, {"rbac.authorization.k8s.io/v1", "RoleBinding"},
	} {
		list, err := s.resource(kind[0], kind[1], metav1.NamespaceAll).List(s.Context(), metav1.ListOptions{
			LabelSelector: gatewayPod + ",gateway.networking.k8s.io/gateway-namespace=" + s.namespace,
		})
		if err != nil {
			s.Fatal(err)
		}
		for _, item := range list.Items {
			found = append(found, kind[1]+" of "+item.GetNamespace())
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestAGatewayThatIsDeletedLeavesNothingAndServesWhenItIsMadeAgain(t *testing.T) {
	other := newSite(t, nil, "steady.yaml")
	a := newAuthority(t)
	s := newSite(t, nil, "steady.yaml", a.good(steady).secret("steady"), `apiVersion: gateway.varnish-software.com/v1alpha1
kind: GatewayClassParameters
metadata: {name: MY-NAMESPACE}
spec: {podDisruptionBudget: {maxUnavailable: 1}}
`)
	grant, route := across(s, other)
	other.apply(grant)
	gateway := s.secured("steady") + parametersRef
	s.apply(gateway, route)
	serves := func() {
		t.Helper()
		s.greets(a, steady, 20*time.Second)
		s.answers(steady, "/", http.StatusOK, 10*time.Second)
		s.answers("across.example.com", "/", http.StatusOK, 10*time.Second)
	}
	serves()
	var want []string
	for _, kind := range []string{"ConfigMap", "Deployment", "Pod", "PodDisruptionBudget", "ReplicaSet", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount"} {
		want = append(want, kind+" of "+s.namespace)
	}
	want = append(want, "Role of "+other.namespace, "RoleBinding of "+other.namespace)
	slices.Sort(want)
	if got := s.children(); !slices.Equal(got, want) {
		t.Errorf("there are\n%v\nand not\n%v", got, want)
	}
	beside := other.startLoad(nil)

	s.remove("gateway.networking.k8s.io/v1", "Gateway", "edge")
	start := time.Now()
	s.eventually("the end of its objects", 40*time.Second, func() (bool, string) {
		left := s.children()
		return len(left) == 0, fmt.Sprint(left)
	})
	fmt.Printf("measured: a Gateway deleted: its last object gone after %d ms\n", time.Since(start).Milliseconds())
	if got := s.status(steady, "/"); got != 0 {
		t.Errorf("%d from a Gateway that is not there", got)
	}

	s.apply(gateway)
	s.eventually("the address of the new Gateway", 20*time.Second, s.hasAddress)
	serves()
	if got := s.children(); !slices.Equal(got, want) {
		t.Errorf("there are again\n%v\nand not\n%v", got, want)
	}
	beside.lostNothing("a Gateway deleted and made again, the one beside it")
}
