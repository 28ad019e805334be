//go:build faults

package gateway

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// What the operator of varnish/gateway has left is taken over by the commands of docs/kubernetes.md: nothing of it stays, and the address does.
func TestWhatTheExistingOperatorMadeIsTakenOverAsThePageSays(t *testing.T) {
	s := newSite(t, nil, "steady.yaml")
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	s.operators(0)
	t.Cleanup(func() { s.operators(1) })
	for _, kind := range [][2]string{{"apps/v1", "Deployment"}, {"v1", "Service"}} {
		s.remove(kind[0], kind[1], "edge")
	}
	s.remove("v1", "ConfigMap", "edge-vcl")
	s.remove("v1", "ServiceAccount", "edge-chaperone")
	binding := s.resource("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "")
	t.Cleanup(func() {
		_ = binding.Delete(context.Background(), s.namespace+"-edge-chaperone", metav1.DeleteOptions{})
	})
	s.existing()
	s.eventually("the old Service's address", 20*time.Second, func() (bool, string) {
		ingress, _, _ := unstructured.NestedSlice(s.get("v1", "Service", "edge").Object, "status", "loadBalancer", "ingress")
		if len(ingress) == 0 {
			return false, "none"
		}
		s.address = ingress[0].(map[string]any)["ip"].(string)
		return true, ""
	})
	s.forgetConnections()
	s.answers(steady, "/", http.StatusOK, 20*time.Second)
	address, before := s.address, s.get("apps/v1", "Deployment", "edge").GetGeneration()

	if _, err := s.core.CoreV1().Services(s.namespace).Patch(t.Context(), "edge", types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"example.com/theirs":"stays"}}}`), metav1.PatchOptions{FieldManager: "others"}); err != nil {
		t.Fatal(err)
	}

	s.takeOver()
	start := time.Now()
	s.operators(1)
	s.rolledOut(before + 1)
	s.eventually("the Gateway is Programmed", 20*time.Second, s.hasAddress)
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	fmt.Printf("measured: a Gateway of the existing operator: taken over after %d ms, the start of the operator included\n", time.Since(start).Milliseconds())
	if s.address != address {
		t.Errorf("the address was %s and is %s", address, s.address)
	}
	for _, left := range []string{"IPC_LOCK", "DASHBOARD_ADDR", "vcl-config", "tcpSocket", "http-80"} {
		if text := fmt.Sprint(s.get("apps/v1", "Deployment", "edge").Object["spec"]); strings.Contains(text, left) {
			t.Errorf("of the old Deployment %s is left: %s", left, text)
		}
	}
	if text := fmt.Sprint(s.get("v1", "Service", "edge").Object["spec"]); strings.Contains(text, "9999") {
		t.Errorf("a port of the old Service is left: %s", text)
	}
	if got := s.get("v1", "Service", "edge").GetAnnotations(); len(got) != 1 || got["example.com/theirs"] != "stays" {
		t.Errorf("the annotations of the Service are %v", got)
	}
	if _, err := binding.Get(t.Context(), s.namespace+"-edge-chaperone", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the old right to read the whole cluster: %v", err)
	}
}

// operators has so many pods of the operator, and waits for them.
func (s *site) operators(replicas int32) {
	s.Helper()
	ctx := context.Background()
	deployments := s.core.AppsV1().Deployments(system)
	list, err := deployments.List(ctx, metav1.ListOptions{LabelSelector: operatorPod})
	if err != nil || len(list.Items) != 1 {
		s.Fatal(err, len(list.Items))
	}
	name := list.Items[0].Name
	scale, err := deployments.GetScale(ctx, name, metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	scale.Spec.Replicas = replicas
	if _, err := deployments.UpdateScale(ctx, name, scale, metav1.UpdateOptions{}); err != nil {
		s.Fatal(err)
	}
	s.eventually(fmt.Sprint(replicas, " operators"), 30*time.Second, func() (bool, string) {
		pods, err := s.core.CoreV1().Pods(system).List(ctx, metav1.ListOptions{LabelSelector: operatorPod})
		if err != nil {
			return false, err.Error()
		}
		now, err := deployments.Get(ctx, name, metav1.GetOptions{})
		return err == nil && len(pods.Items) == int(replicas) && now.Status.ReadyReplicas == replicas, fmt.Sprint(err, len(pods.Items))
	})
}

// existing makes the objects of existing.yaml as another operator would: by plain creation, under another manager's name.
func (s *site) existing() {
	s.Helper()
	uid := s.get("gateway.networking.k8s.io/v1", "Gateway", "edge").GetUID()
	text := strings.NewReplacer("MY-NAMESPACE", s.namespace, "GATEWAY-UID", string(uid)).Replace(s.manifest("existing.yaml"))
	for _, document := range strings.Split(text, "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			s.Fatal(err)
		}
		s.eventually("a new "+object.GetKind(), 40*time.Second, func() (bool, string) {
			_, err := s.resource(object.GetAPIVersion(), object.GetKind(), s.namespace).Create(s.Context(), object, metav1.CreateOptions{FieldManager: "manager"})
			return err == nil, fmt.Sprint(err)
		})
	}
}

// takeOver runs the commands of the page.
func (s *site) takeOver() {
	s.Helper()
	page, err := os.ReadFile("../../../docs/kubernetes.md")
	if err != nil {
		s.Fatal(err)
	}
	_, commands, found := strings.Cut(string(page), "```sh takeover\n")
	commands, _, ended := strings.Cut(commands, "```")
	if !found || !ended {
		s.Fatal("the page has no commands to take over")
	}
	script := exec.Command("bash", "-euo", "pipefail", "-c", `kubectl() { ../../../bin/cluster kubectl --name "$SHELLAC_CLUSTER" "$@"; }`+"\n"+commands)
	if out, err := script.CombinedOutput(); err != nil {
		s.Fatalf("%v\n%s", err, out)
	}
}
