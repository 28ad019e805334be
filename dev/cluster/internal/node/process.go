package node

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"shellac.dev/cluster/internal/layout"
)

// processName is the first argument of a supervisor, by which it is found again: the process itself
// is the only record of a running node, so a crash at any moment leaves nothing that could be out of date.
const processName = "shellac-node"

// Args is the command line of a node's supervisor.
func Args(n layout.Node) []string {
	return []string{processName, n.Cluster.Name, strconv.Itoa(n.Index)}
}

// FromArgs tells whether this process is to be a node's supervisor, and of which one.
func FromArgs(args []string) (layout.Node, bool) {
	if len(args) != 3 || args[0] != processName {
		return layout.Node{}, false
	}
	cluster, err := layout.Named(args[1])
	index, err2 := strconv.Atoi(args[2])
	if err != nil || err2 != nil {
		return layout.Node{}, false
	}
	return cluster.Node(index), true
}

// Process is a running supervisor, by its process id on the host.
type Process struct {
	Node layout.Node
	PID  int
}

// Running lists the supervisors that are alive, of one cluster or, for an empty name, of all.
func Running(cluster string) ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []Process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			continue // gone meanwhile
		}
		node, ok := FromArgs(strings.Split(strings.TrimSuffix(string(cmdline), "\x00"), "\x00"))
		if !ok || (cluster != "" && node.Cluster.Name != cluster) || !isInit(pid) {
			continue
		}
		found = append(found, Process{Node: node, PID: pid})
	}
	return found, nil
}

// isInit tells the supervisor from a child of it that has not yet become the program that it is to run.
func isInit(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		if ids, ok := strings.CutPrefix(line, "NSpid:"); ok {
			fields := strings.Fields(ids)
			return len(fields) >= 2 && fields[len(fields)-1] == "1"
		}
	}
	return false
}

// Kill ends the supervisor and with it, as it is the first process of its namespace, everything on the node.
func (p Process) Kill() error {
	if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("cannot stop node %s (pid %d): %w", p.Node.Name(), p.PID, err)
	}
	return nil
}

// Alive tells whether the supervisor still runs. A zombie whose parent has not looked yet does not.
func (p Process) Alive() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return false
	}
	_, rest, ok := strings.Cut(string(stat), ") ")
	return ok && !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// NetNS is the path of the node's network namespace.
func (p Process) NetNS() string { return fmt.Sprintf("/proc/%d/ns/net", p.PID) }
