package loadbalancer

import (
	"net/netip"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var pool = netip.MustParsePrefix("172.30.1.0/29") // six usable addresses

func service(name string, age int, change ...func(*corev1.Service)) *corev1.Service {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, CreationTimestamp: metav1.NewTime(time.Unix(int64(1000-age), 0)),
		},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer},
	}
	for _, c := range change {
		c(s)
	}
	return s
}

func asking(address string) func(*corev1.Service) {
	return func(s *corev1.Service) { s.Spec.LoadBalancerIP = address }
}

func having(address string) func(*corev1.Service) {
	return func(s *corev1.Service) {
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: address}}
	}
}

// decide returns name -> address, or the reason why there is none.
func decide(services ...*corev1.Service) map[string]string {
	out := map[string]string{}
	for _, d := range Assign(services, pool) {
		switch {
		case d.Problem != nil:
			out[d.Service.Name] = d.Problem.Reason
		case d.Address.IsValid():
			out[d.Service.Name] = d.Address.String()
		default:
			out[d.Service.Name] = ""
		}
	}
	return out
}

func expect(t *testing.T, got map[string]string, want map[string]string) {
	t.Helper()
	for name, address := range want {
		if got[name] != address {
			t.Errorf("%s: got %q, want %q", name, got[name], address)
		}
	}
}

func TestOlderServicesComeFirst(t *testing.T) {
	expect(t, decide(service("young", 1), service("old", 2)), map[string]string{"old": "172.30.1.1", "young": "172.30.1.2"})
}

func TestAnAddressIsKept(t *testing.T) {
	expect(t, decide(service("old", 2), service("young", 1, having("172.30.1.1"))),
		map[string]string{"young": "172.30.1.1", "old": "172.30.1.2"})
}

func TestARequestedAddressIsGiven(t *testing.T) {
	expect(t, decide(service("any", 2), service("asks", 1, asking("172.30.1.1"))),
		map[string]string{"asks": "172.30.1.1", "any": "172.30.1.2"})
}

func TestAChangedRequestMovesTheService(t *testing.T) {
	expect(t, decide(service("s", 1, having("172.30.1.1"), asking("172.30.1.5"))), map[string]string{"s": "172.30.1.5"})
}

func TestRequestsThatCannotBeMetLeaveTheServicePending(t *testing.T) {
	expect(t, decide(
		service("holder", 3, having("172.30.1.3")),
		service("taken", 2, asking("172.30.1.3")),
		service("outside", 1, asking("10.0.0.1")),
		service("network", 1, asking("172.30.1.0")),
		service("broadcast", 1, asking("172.30.1.7")),
		service("nonsense", 1, asking("one")),
	), map[string]string{
		"holder": "172.30.1.3", "taken": "AddressInUse", "outside": "AddressOutsidePool",
		"network": "AddressOutsidePool", "broadcast": "AddressOutsidePool", "nonsense": "AddressInvalid",
	})
}

func TestAnAddressThatWasReleasedIsGivenAgain(t *testing.T) {
	released := service("gone", 3, having("172.30.1.1"))
	released.Spec.Type = corev1.ServiceTypeClusterIP
	expect(t, decide(released, service("new", 1)), map[string]string{"gone": "", "new": "172.30.1.1"})
	if !ours(released, pool) {
		t.Error("the address stays in the status of a Service that is no LoadBalancer any more")
	}
}

func TestTheSeventhOfSixIsTold(t *testing.T) {
	var services []*corev1.Service
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		services = append(services, service(name, 1))
	}
	expect(t, decide(services...), map[string]string{"a": "172.30.1.1", "f": "172.30.1.6", "g": "AddressPoolExhausted"})
}

func TestAnotherControllersServiceIsLeftAlone(t *testing.T) {
	class := "someone.else/lb"
	other := service("other", 1, having("192.0.2.1"))
	other.Spec.LoadBalancerClass = &class
	expect(t, decide(other), map[string]string{"other": ""})
	if ours(other, pool) {
		t.Error("its status would be overwritten")
	}
}

func TestTwoThatClaimTheSameAddressAreParted(t *testing.T) {
	expect(t, decide(service("young", 1, having("172.30.1.4")), service("old", 2, having("172.30.1.4"))),
		map[string]string{"old": "172.30.1.4", "young": "172.30.1.1"})
}
