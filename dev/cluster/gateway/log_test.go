//go:build integration

package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestTheLogContainerWritesALineOfJSONForEachRequest(t *testing.T) {
	s := newSite(t, nil)
	s.parameters(map[string]any{"logging": map[string]any{"mode": "varnishlog-json"}})
	s.apply("with-parameters.yaml")
	host := "log.example.com"
	s.eventually("the request in the log", time.Minute, func() (bool, string) {
		s.status(host, "/logged?x=1")
		pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
		if err != nil {
			return false, err.Error()
		}
		seen := ""
		for _, pod := range pods.Items {
			lines, err := s.core.CoreV1().Pods(s.namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: "varnish-log"}).DoRaw(s.Context())
			if err != nil {
				seen += err.Error()
				continue
			}
			for _, line := range strings.Split(string(lines), "\n") {
				var entry struct {
					Side string
					Req  struct {
						URL     string
						Headers map[string][]string
					}
					Resp struct{ Status int }
				}
				if json.Unmarshal([]byte(line), &entry) == nil && entry.Req.URL == "/logged?x=1" {
					return entry.Side == "client" && fmt.Sprint(entry.Req.Headers["host"]) == "["+host+"]" && entry.Resp.Status == 404, line
				}
			}
			seen += string(lines)
		}
		return false, seen
	})
}

// parameters makes some that are named like the namespace, since their kind has none, and go with the test.
func (s *site) parameters(spec map[string]any) {
	s.Helper()
	const version, kind = "gateway.varnish-software.com/v1alpha1", "GatewayClassParameters"
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": s.namespace}, "spec": spec,
	}}
	all := s.resource(version, kind, "")
	if _, err := all.Create(s.Context(), object, metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := all.Delete(context.Background(), s.namespace, metav1.DeleteOptions{}); err != nil {
			s.Error(err)
		}
	})
}
