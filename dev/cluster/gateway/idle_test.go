//go:build integration

package gateway

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Gateway that can serve nothing has a pod all the same: ready, for an unready one would look like a fault of the cluster, and without any host.
func TestAGatewayWithoutAValidListenerHasAReadyPodThatAnswers404(t *testing.T) {
	s := newSite(t, nil)
	listeners := map[string]string{
		"raw":  "{name: raw, protocol: TCP, port: 7000}",
		"bare": "{name: bare, protocol: HTTPS, port: 443, tls: {certificateRefs: [{name: nowhere}]}}",
	}
	for name, listener := range listeners {
		s.apply(fmt.Sprintf("apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: %s}\nspec:\n  gatewayClassName: varnish\n  listeners:\n  - %s\n", name, listener))
	}
	for name := range listeners {
		s.eventually("a ready pod of "+name, 30*time.Second, func() (bool, string) { return s.isReady(name) })
		ports := s.servicePorts(name)
		if len(ports) == 0 {
			t.Errorf("the Service of %s has no port", name)
		}
		for _, port := range ports {
			s.eventually(fmt.Sprintf("404 from port %s of %s", port, name), 5*time.Second, func() (bool, string) { return s.isNotFound(port) })
		}
		s.eventually("the status of "+name, 5*time.Second, func() (bool, string) {
			gateway := s.get("gateway.networking.k8s.io/v1", "Gateway", name)
			status, words := conditionOf(gateway.Object, "Programmed", "status", "conditions")
			return status == "False", status + " " + words
		})
	}
	// It is not ready for a moment only.
	time.Sleep(5 * time.Second)
	for name := range listeners {
		if ready, words := s.isReady(name); !ready {
			t.Errorf("the pod of %s: %s", name, words)
		}
	}
}

// isReady tells whether a Gateway has one pod, and whether it is ready and was never started again.
func (s *site) isReady(gateway string) (bool, string) {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: "gateway.networking.k8s.io/gateway-name=" + gateway})
	if err != nil {
		s.Fatal(err)
	}
	if len(pods.Items) != 1 {
		return false, fmt.Sprint(len(pods.Items), " pods")
	}
	status := pods.Items[0].Status
	for _, container := range status.ContainerStatuses {
		if container.RestartCount > 0 {
			return false, fmt.Sprint(container.Name, " was started again")
		}
	}
	for _, condition := range status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue, condition.Message
		}
	}
	return false, "not known yet"
}

// servicePorts are where a Gateway is reached within the cluster.
func (s *site) servicePorts(gateway string) (found []string) {
	s.Helper()
	service, err := s.core.CoreV1().Services(s.namespace).Get(s.Context(), gateway, metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	for _, port := range service.Spec.Ports {
		found = append(found, net.JoinHostPort(service.Spec.ClusterIP, fmt.Sprint(port.Port)))
	}
	return found
}

func (s *site) isNotFound(address string) (bool, string) {
	response, err := s.client.Get("http://" + address + "/")
	if err != nil {
		return false, err.Error()
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusNotFound, response.Status
}
