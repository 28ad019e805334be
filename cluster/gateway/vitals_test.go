//go:build hostile

package gateway

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mostOfShared is the memory limit of the pods of shared-gateway.yaml.
const mostOfShared = 512 * mebibyte

// vitals are what an attack must not change: processes by number and program, and how many were killed for want of memory.
type vitals struct {
	processes map[string]bool
	killed    int64
}

// vitals looks at the Gateway's pods and the operator's. HAProxy's processes follow each other by design.
func (s *site) vitals() vitals {
	s.Helper()
	found := vitals{processes: map[string]bool{}}
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

// survived fails the test if a process of before is gone, or one was killed, or the pod has more memory than its limit.
func (s *site) survived(during string, before vitals) {
	s.Helper()
	after := s.vitals()
	if !maps.Equal(before.processes, after.processes) {
		s.Errorf("%s: the processes were %v and are %v", during, slices.Sorted(maps.Keys(before.processes)), slices.Sorted(maps.Keys(after.processes)))
	}
	if after.killed != before.killed {
		s.Errorf("%s: %d processes were killed for want of memory", during, after.killed-before.killed)
	}
	chaperone, whole := s.memory()
	memory, err := s.gatewayProcesses("varnishd")[0].Memory()
	if err != nil || memory.Peak > mostOfShared {
		s.Errorf("%s: the pod had %d MiB, %v", during, memory.Peak/mebibyte, err)
	}
	if s.Failed() {
		s.history()
	}
	fmt.Printf("measured: %s: afterwards the pod has %d MiB, the chaperone %d of them; at most it ever had %d\n",
		during, whole/mebibyte, chaperone/mebibyte, memory.Peak/mebibyte)
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
func (a *arena) blames(t *testing.T, culprits []string) {
	t.Helper()
	honest, neighbour := *a.site, *a.neighbour
	honest.T, neighbour.T = t, t
	honest.eventually(fmt.Sprintf("nobody but %v is blamed", culprits), 20*time.Second, func() (bool, string) {
		innocent, guilty := honest.blamed(), neighbour.blamed()
		return len(innocent) == 0 && slices.Equal(guilty, culprits), fmt.Sprintf("honest: %v, neighbour: %v", innocent, guilty)
	})
}
