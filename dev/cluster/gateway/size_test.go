//go:build integration

package gateway

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const mostToReady = 2 * time.Second

// A new pod, from the start of its first process, and what it holds then.
func TestANewPodIsReadySoonAndSmall(t *testing.T) {
	s := newSite(t, nil, "route.yaml")
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	pods := s.core.CoreV1().Pods(s.namespace)
	old, err := pods.List(t.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
	if err != nil || len(old.Items) == 0 {
		t.Fatalf("%v, %v", old, err)
	}
	now := int64(0)
	for _, pod := range old.Items {
		if err := pods.Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
			t.Fatal(err)
		}
	}
	var address string
	s.eventually("a new pod with an address", 20*time.Second, func() (bool, string) {
		list, err := pods.List(t.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range list.Items {
			if pod.UID != old.Items[0].UID && pod.Status.PodIP != "" && pod.DeletionTimestamp == nil {
				address = pod.Status.PodIP
				return true, ""
			}
		}
		return false, fmt.Sprint(len(list.Items), " pods")
	})
	s.eventually("ready", 20*time.Second, func() (bool, string) {
		response, err := s.client.Get("http://" + address + ":8081/ready")
		if err != nil {
			return false, err.Error()
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK, response.Status
	})
	chaperone := s.gatewayProcesses("java")[0]
	age, err := chaperone.Age()
	if err != nil || age > mostToReady {
		t.Errorf("ready after %s, %v", age, err)
	}
	s.answers(host, "/", http.StatusOK, 10*time.Second)
	own, whole := s.memory()
	if own > mostOfChaperone || whole > mostOfPod {
		t.Errorf("the chaperone has %d MiB, the pod %d MiB", own>>20, whole>>20)
	}
	fmt.Printf("measured: a gateway pod is ready %d ms after its start; chaperone %d MiB, pod %d MiB of memory (PSS)\n",
		age.Milliseconds(), own>>20, whole>>20)
}
