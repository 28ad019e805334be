//go:build hostile

package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"shellac.dev/cluster/internal/usage"
)

// mostOfShared is the memory limit of the pods of shared-gateway.yaml.
const mostOfShared = 512 * mebibyte

// vitals are what an attack must not change: processes by number and program, how many were killed for want of memory, and how often containers were started.
type vitals struct {
	processes map[string]bool
	haproxies []int
	killed    int64
	restarts  int
}

// vitals looks at the Gateway's pods and the operator's.
func (s *site) vitals() vitals {
	s.Helper()
	found := vitals{processes: map[string]bool{}, haproxies: s.haproxies(), restarts: s.startsAgain(s.namespace, gatewayPod) + s.startsAgain(system, operatorPod)}
	all := append(s.gatewayProcesses("varnishd"), s.gatewayProcesses("java")...)
	for _, process := range append(all, s.processes(system, operatorPod, "operator", "java")...) {
		found.processes[fmt.Sprintf("%s %d", process.Program, process.PID)] = true
		memory, err := process.Memory()
		if err != nil {
			s.Fatal(err)
		}
		found.killed += memory.Killed
	}
	return found
}

// haproxies are the numbers of HAProxy's processes, the newest first.
func (s *site) haproxies() []int {
	s.Helper()
	ages := map[int]time.Duration{}
	for _, process := range s.gatewayProcesses("haproxy") {
		// One without an age has just ended.
		if age, err := process.Age(); err == nil {
			ages[process.PID] = age
		}
	}
	return slices.SortedFunc(maps.Keys(ages), func(one, other int) int { return cmp.Or(cmp.Compare(ages[one], ages[other]), other-one) })
}

// startsAgain is how often the containers of pods were started again.
func (s *site) startsAgain(namespace, selector string) (restarts int) {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(namespace).List(s.Context(), metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		s.Fatal(err)
	}
	for _, pod := range pods.Items {
		for _, status := range pod.Status.ContainerStatuses {
			restarts += int(status.RestartCount)
		}
	}
	return restarts
}

// survived fails the test if a process of before is gone, one was killed, or a container has more memory than its limit. HAProxy's processes follow each other by design where an attack
// changes certificates or listeners; elsewhere the newest stays, and none comes.
func (s *site) survived(during string, before vitals, edge edgeUse) {
	s.Helper()
	after := s.vitals()
	if !maps.Equal(before.processes, after.processes) {
		s.Errorf("%s: the processes were %v and are %v", during, slices.Sorted(maps.Keys(before.processes)), slices.Sorted(maps.Keys(after.processes)))
	}
	if edge == edgeStays && (len(before.haproxies) == 0 || len(after.haproxies) == 0 || before.haproxies[0] != after.haproxies[0]) {
		s.Errorf("%s: the processes of HAProxy were %v and are %v, the newest first", during, before.haproxies, after.haproxies)
	}
	if after.killed != before.killed || after.restarts != before.restarts {
		s.Errorf("%s: %d processes were killed for want of memory, %d containers started again", during, after.killed-before.killed, after.restarts-before.restarts)
	}
	chaperone, whole := s.memory()
	most := s.peak(during, "pod", s.gatewayProcesses("varnishd")[0], mostOfShared)
	operator := s.peak(during, "operator", s.processes(system, operatorPod, "operator", "java")[0], s.operatorLimit())
	if s.Failed() {
		s.history()
	}
	fmt.Printf("measured: %s: afterwards the pod has %d MiB, the chaperone %d of them; at most it ever had %d, and the operator %d\n",
		during, whole/mebibyte, chaperone/mebibyte, most/mebibyte, operator/mebibyte)
}

// peak is the most memory that the container of a process ever had.
func (s *site) peak(during, what string, process usage.Process, limit int64) int64 {
	s.Helper()
	memory, err := process.Memory()
	if err != nil || memory.Peak > limit {
		s.Errorf("%s: the %s had %d MiB of %d, %v", during, what, memory.Peak/mebibyte, limit/mebibyte, err)
	}
	return memory.Peak
}

// operatorLimit is the memory limit of the operator's container.
func (s *site) operatorLimit() int64 {
	s.Helper()
	pods, err := s.core.CoreV1().Pods(system).List(s.Context(), metav1.ListOptions{LabelSelector: operatorPod})
	if err != nil || len(pods.Items) == 0 {
		s.Fatalf("no operator: %v", err)
	}
	for _, container := range pods.Items[0].Spec.Containers {
		if container.Name == "operator" {
			return container.Resources.Limits.Memory().Value()
		}
	}
	s.Fatal("the operator has no container of this name")
	return 0
}

// blamed are the Gateways, sets of listeners and routes of a namespace one of whose conditions says that something is wrong.
func (s *site) blamed() (found []string) {
	s.Helper()
	for _, kind := range []string{"Gateway", "ListenerSet", "HTTPRoute"} {
		list, err := s.resource(gatewayAPI, kind, s.namespace).List(s.Context(), metav1.ListOptions{})
		if err != nil {
			s.Fatal(err)
		}
		for _, object := range list.Items {
			if isBlamed(object.Object["status"]) {
				found = append(found, kind+" "+object.GetName())
			}
		}
	}
	slices.Sort(found)
	return found
}

// isBlamed tells whether there is a condition anywhere in a status that says that something is wrong.
func isBlamed(status any) bool {
	switch at := status.(type) {
	case map[string]any:
		if kind, ok := at["type"].(string); ok && at["status"] != nil {
			bad := kind == "Conflicted" || kind == "PartiallyInvalid" || kind == "OverlappingTLSConfig"
			return bad == (at["status"] == "True")
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(at)), isBlamed)
	case []any:
		return slices.ContainsFunc(at, isBlamed)
	}
	return false
}

// blames waits until exactly these objects of the neighbour, and none of the honest tenant, are said to be at fault.
func (a *arena) blames(culprits []string) {
	a.Helper()
	a.eventually(fmt.Sprintf("nobody but %v is blamed", culprits), 20*time.Second, func() (bool, string) {
		innocent, guilty := a.blamed(), a.neighbour.blamed()
		return len(innocent) == 0 && slices.Equal(guilty, culprits), fmt.Sprintf("honest: %v, neighbour: %v", innocent, guilty)
	})
}
