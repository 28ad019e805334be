//go:build integration || faults || hostile

package gateway

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"shellac.dev/cluster/internal/usage"
)

// What a pod may have of memory, without what it caches.
const (
	mebibyte        = 1 << 20
	mostOfChaperone = 96 * mebibyte
	mostOfPod       = 150 * mebibyte
)

// memory is what the chaperone and all processes of the Gateway's pod have, of what they share their part.
func (s *site) memory() (chaperone, whole int64) {
	s.Helper()
	for _, process := range s.allProcesses(s.namespace, gatewayPod, "varnish-gateway") {
		part, err := process.PSS()
		if err != nil {
			s.Fatal(err)
		}
		whole += part
		if process.Program == "java" {
			chaperone += part
		}
	}
	return chaperone, whole
}

// processes are those of a program in a container of the pods with a label, at least one.
func (s *site) processes(namespace, selector, container, program string) []usage.Process {
	s.Helper()
	var found []usage.Process
	for _, process := range s.allProcesses(namespace, selector, container) {
		if process.Program == program {
			found = append(found, process)
		}
	}
	if len(found) == 0 {
		s.Fatalf("no %s runs in %s of %s", program, container, selector)
	}
	return found
}

func (s *site) allProcesses(namespace, selector, container string) []usage.Process {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(namespace).List(s.Context(), metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		s.Fatal(err)
	}
	var found []usage.Process
	for _, pod := range pods.Items {
		for _, status := range pod.Status.ContainerStatuses {
			if status.Name != container || status.ContainerID == "" {
				continue
			}
			all, err := usage.Of(status.ContainerID)
			if err != nil {
				s.Fatal(err)
			}
			found = append(found, all...)
		}
	}
	return found
}

func (s *site) gatewayProcesses(program string) []usage.Process {
	s.Helper()
	return s.processes(s.namespace, gatewayPod, "varnish-gateway", program)
}

// kill ends processes, and waits until they are gone: with the first of a container all others are.
func (s *site) kill(processes []usage.Process) {
	s.Helper()
	for _, process := range processes {
		if err := syscall.Kill(process.PID, syscall.SIGKILL); err != nil {
			s.Fatal(err)
		}
	}
	for _, process := range processes {
		s.eventually("the end of "+process.Program, 5*time.Second, func() (bool, string) {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process.PID))
			// One that nobody has asked about yet has ended, too, once the last of its threads has: only then the container does.
			threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", process.PID))
			return err != nil || (strings.Contains(string(stat), ") Z ") && len(threads) <= 1), string(stat)
		})
	}
}

// component stops or starts a component of the cluster.
func (s *site) component(verb, name string) {
	s.Helper()
	if out, err := s.cluster(verb, name, "--name", os.Getenv("SHELLAC_CLUSTER")); err != nil {
		s.Fatalf("%v\n%s", err, out)
	}
}

// onNode runs a command in the network of a node.
func (s *site) onNode(node int, command ...string) (string, error) {
	s.Helper()
	return s.cluster(append([]string{"exec", "--name", os.Getenv("SHELLAC_CLUSTER"), "--node", fmt.Sprint(node), "--"}, command...)...)
}

func (s *site) cluster(args ...string) (string, error) {
	s.Helper()
	home, err := filepath.Abs("../../..")
	if err != nil {
		s.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(home, "bin", "cluster"), args...).CombinedOutput()
	return string(out), err
}

// restarts is how often the containers of the Gateway's pods were started again.
func (s *site) restarts() int {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
	if err != nil {
		s.Fatal(err)
	}
	restarts := 0
	for _, pod := range pods.Items {
		for _, status := range pod.Status.ContainerStatuses {
			restarts += int(status.RestartCount)
		}
	}
	return restarts
}

// rolledOut waits until all pods are those of a generation of the Deployment, and all others are gone.
func (s *site) rolledOut(generation int64) {
	s.Helper()
	s.eventually("new pods, and the old ones gone", time.Minute, func() (bool, string) {
		now, err := s.core.AppsV1().Deployments(s.namespace).Get(s.Context(), "edge", metav1.GetOptions{})
		if err != nil {
			s.Fatal(err)
		}
		pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
		if err != nil {
			s.Fatal(err)
		}
		done := now.Generation >= generation && now.Status.ObservedGeneration >= now.Generation && now.Status.Replicas == *now.Spec.Replicas &&
			now.Status.UpdatedReplicas == now.Status.Replicas && now.Status.AvailableReplicas == now.Status.Replicas
		return done && len(pods.Items) == int(now.Status.Replicas), fmt.Sprintf("%+v, %d pods", now.Status, len(pods.Items))
	})
}

// metrics are the lines of the pods' metrics that hold one of the words.
func (s *site) metrics(words ...string) (found []string) {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{LabelSelector: gatewayPod})
	if err != nil {
		s.Fatal(err)
	}
	for _, pod := range pods.Items {
		response, err := s.client.Get("http://" + pod.Status.PodIP + ":8081/metrics")
		if err != nil {
			continue // it ends, or has not begun
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
				found = append(found, line)
			}
		}
	}
	return found
}

// history logs what became of the pods, for whoever looks into a failure.
func (s *site) history() {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(s.namespace).List(s.Context(), metav1.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	for _, pod := range pods.Items {
		s.Logf("pod %s on %s: %s, %v", pod.Name, pod.Spec.NodeName, pod.Status.Phase, pod.Status.Conditions)
		for _, status := range pod.Status.ContainerStatuses {
			s.Logf("  container %s: %d restarts, %+v, before: %+v", status.Name, status.RestartCount, status.State, status.LastTerminationState.Terminated)
		}
		if pod.Labels["gateway.networking.k8s.io/gateway-name"] != "" {
			lines := int64(60)
			log, err := s.core.CoreV1().Pods(s.namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: "varnish-gateway", TailLines: &lines}).DoRaw(s.Context())
			s.Logf("  the end of its log: %v\n%s", err, log)
		}
	}
	s.Logf("what the pods count:\n%s", strings.Join(s.metrics("sess_", "threads", "client_", "backend_"), ""))
	events, err := s.core.CoreV1().Events(s.namespace).List(s.Context(), metav1.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	for _, event := range events.Items {
		s.Logf("  %s %s %s/%s: %s (%d times)", event.LastTimestamp.Format(time.TimeOnly), event.Reason, event.InvolvedObject.Kind, event.InvolvedObject.Name, event.Message, event.Count)
	}
}

// heldItsLimit fails the test if the container was killed or restarted, or a process of varnishd is not one of before.
func (s *site) heldItsLimit(during string, before []usage.Process) {
	s.Helper()
	if got := s.restarts(); got != 0 {
		s.Errorf("%s: the container was restarted %d times", during, got)
	}
	pids := func(processes []usage.Process) (found []int) {
		for _, process := range processes {
			found = append(found, process.PID)
		}
		slices.Sort(found)
		return found
	}
	after := s.gatewayProcesses("varnishd")
	if !slices.Equal(pids(before), pids(after)) {
		s.Errorf("%s: the processes of varnishd were %v and are %v", during, pids(before), pids(after))
	}
	memory, err := after[0].Memory()
	if err != nil || memory.Killed != 0 {
		s.Errorf("%s: %d processes were killed for want of memory, %v", during, memory.Killed, err)
	}
	if s.Failed() {
		s.history()
	}
	fmt.Printf("measured: %s: the pod had at most %d MiB\n", during, memory.Peak/mebibyte)
}
