//go:build faults

package gateway

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const rolls = 5

// Processes that end as soon as they are told to, before anybody has heard of it: connections to them are refused meanwhile.
func TestBackendsThatRollUnderLoadLoseNothing(t *testing.T) {
	a := newAuthority(t)
	s := newSite(t, nil, "steady.yaml", a.good(steady).secret("steady"))
	s.apply(s.secured("steady"))
	s.rollEcho(`{"spec":{"replicas":3,"template":{"spec":{"terminationGracePeriodSeconds":30}}}}`)
	s.greets(a, steady, 10*time.Second)
	plain, secure := s.startLoad(nil), s.startLoad(a.client(steady))
	for n := range rolls {
		s.rollEcho(fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"%d"}}}}}`, n))
	}
	plain.lostNothing(fmt.Sprintf("backends rolled %d times, over HTTP", rolls))
	secure.lostNothing(fmt.Sprintf("backends rolled %d times, over HTTPS", rolls))
}

// rollEcho changes the Deployment of the backends, and waits until all of its pods are new and the old ones gone.
func (s *site) rollEcho(patch string) {
	s.Helper()
	deployments := s.core.AppsV1().Deployments(s.namespace)
	changed, err := deployments.Patch(s.Context(), "echo", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		s.Fatal(err)
	}
	s.eventually("new backends, and the old ones gone", time.Minute, func() (bool, string) {
		now, err := deployments.Get(s.Context(), "echo", metav1.GetOptions{})
		if err != nil {
			s.Fatal(err)
		}
		pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: "app=echo"})
		if err != nil {
			s.Fatal(err)
		}
		status := now.Status
		done := status.ObservedGeneration >= changed.Generation && status.Replicas == *now.Spec.Replicas &&
			status.UpdatedReplicas == status.Replicas && status.AvailableReplicas == status.Replicas
		return done && len(pods.Items) == int(status.Replicas), fmt.Sprintf("%+v, %d pods", status, len(pods.Items))
	})
}
