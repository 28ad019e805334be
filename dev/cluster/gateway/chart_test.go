//go:build integration

package gateway

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What the operator writes it writes with the rights that the chart gives it: what not every Gateway has, statuses of every kind, Events.
func TestTheChartsRightsAreEnoughForAllThatIsWritten(t *testing.T) {
	s := newSite(t, nil, "route.yaml")
	s.serviceMonitors()
	s.parameters(map[string]any{
		"podDisruptionBudget": map[string]any{"maxUnavailable": int64(1)},
		"autoscaling":         map[string]any{"maxReplicas": int64(2)},
		"serviceMonitor":      map[string]any{"interval": "15s"},
	})
	s.apply("with-parameters.yaml")
	wanted := [][2]string{{"policy/v1", "PodDisruptionBudget"}, {"autoscaling/v2", "HorizontalPodAutoscaler"}, {"monitoring.coreos.com/v1", "ServiceMonitor"}}
	for _, kind := range wanted {
		s.eventually("the "+kind[1], 10*time.Second, func() (bool, string) { return s.has(kind[0], kind[1]) })
	}

	s.apply("written.yaml")
	for _, object := range []struct{ version, kind, name, list string }{
		{"gateway.networking.k8s.io/v1", "ListenerSet", "more", ""},
		{"gateway.networking.k8s.io/v1", "HTTPRoute", "echo", "parents"},
		{"gateway.networking.k8s.io/v1", "BackendTLSPolicy", "echo", "ancestors"},
		{"gateway.varnish-software.com/v1alpha1", "VarnishCachePolicy", "echo", "ancestors"},
	} {
		s.eventually("the status of the "+object.kind, 10*time.Second, func() (bool, string) {
			status, _, _ := unstructured.NestedMap(s.get(object.version, object.kind, object.name).Object, "status")
			if entries, _, _ := unstructured.NestedSlice(status, object.list); object.list != "" {
				if len(entries) != 1 {
					return false, fmt.Sprint(status)
				}
				status = entries[0].(map[string]any)
			}
			return condition(status, "Accepted", "conditions") != "", fmt.Sprint(status)
		})
	}
	s.eventually("an Event", 10*time.Second, func() (bool, string) {
		events, err := s.core.CoreV1().Events(s.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return false, err.Error()
		}
		seen := ""
		for _, event := range events.Items {
			if event.InvolvedObject.Kind == "HTTPRoute" && event.Reason == "BackendNotFound" {
				return true, ""
			}
			seen += event.InvolvedObject.Kind + " " + event.Reason + "; "
		}
		return false, seen
	})

	s.apply(s.manifest("gateway.yaml"))
	for _, kind := range wanted {
		s.eventually("the end of the "+kind[1], 10*time.Second, func() (bool, string) {
			there, words := s.has(kind[0], kind[1])
			return !there, words
		})
	}
}

// has tells whether there is an object of this kind for the Gateway.
func (s *site) has(version, kind string) (bool, string) {
	s.Helper()
	_, err := s.resource(version, kind, s.namespace).Get(s.Context(), "edge", metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		s.Fatal(err)
	}
	return err == nil, fmt.Sprint(err)
}

// serviceMonitors brings the definition that stands for that of Prometheus' operator, for as long as the test.
func (s *site) serviceMonitors() {
	s.Helper()
	text, err := os.ReadFile("../../../apps/operator/src/test/cluster/servicemonitors.yaml")
	if err != nil {
		s.Fatal(err)
	}
	const version, kind, name = "apiextensions.k8s.io/v1", "CustomResourceDefinition", "servicemonitors.monitoring.coreos.com"
	s.apply(string(text))
	s.Cleanup(func() {
		if err := s.resource(version, kind, "").Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			s.Error(err)
		}
	})
	s.eventually("the kind", 10*time.Second, func() (bool, string) {
		meta.MaybeResetRESTMapper(s.kinds)
		_, err := s.kinds.RESTMapping(schema.GroupKind{Group: "monitoring.coreos.com", Kind: "ServiceMonitor"}, "v1")
		return err == nil, fmt.Sprint(err)
	})
}

// A value is changed, and then it is as it was: the operator is another each time, and what it says of its class counts.
func TestAnUpgradeOfTheChartAndTheWayBackLoseNothing(t *testing.T) {
	s := newSite(t, nil, "steady.yaml")
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	release, before := s.release()
	pods := func(want int32) {
		t.Helper()
		s.eventually(fmt.Sprintf("%d pods", want), 30*time.Second, func() (bool, string) {
			deployment, err := s.core.AppsV1().Deployments(s.namespace).Get(t.Context(), "edge", metav1.GetOptions{})
			if err != nil {
				return false, err.Error()
			}
			return deployment.Status.ReadyReplicas == want && deployment.Status.Replicas == want, fmt.Sprint(deployment.Status)
		})
	}
	load := s.startLoad(nil)
	s.helm("upgrade", release, "../../../charts/shellac", "--reuse-values", "--set", "operator.podAnnotations.upgraded=yes", "--set", "gatewayClass.parameters.replicas=2")
	_, after := s.release()
	if after == before {
		t.Errorf("the operator's pod is still %s", after)
	}
	pods(2)
	s.apply(route("later", "later.example.com", anyPath))
	s.answers("later.example.com", "/", http.StatusOK, 10*time.Second)
	s.helm("rollback", release)
	pods(1)
	load.lostNothing("the chart upgraded and rolled back")
}

// release is the chart's release, and the name of the operator's pod.
func (s *site) release() (name, pod string) {
	s.Helper()
	s.eventually("one pod of the operator", 20*time.Second, func() (bool, string) {
		pods, err := s.core.CoreV1().Pods(system).List(s.Context(), metav1.ListOptions{LabelSelector: operatorPod})
		if err != nil || len(pods.Items) != 1 {
			return false, fmt.Sprint(err, len(pods.Items))
		}
		name, pod = pods.Items[0].Labels["app.kubernetes.io/instance"], pods.Items[0].Name
		return true, ""
	})
	return name, pod
}

func (s *site) helm(args ...string) {
	s.Helper()
	args = append([]string{"helm", "--name", os.Getenv("SHELLAC_CLUSTER")}, append(args, "--namespace", system, "--wait", "--timeout", "1m")...)
	if out, err := s.cluster(args...); err != nil {
		s.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
