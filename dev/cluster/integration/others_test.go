//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/node"
)

// ours is how the names of the clusters of these tests begin.
const ours = "it-"

// others are the clusters that somebody else has on this machine, and whatever is theirs. They come and go as they like.
type others struct {
	processes map[string]bool
	networks  map[string]bool
}

func otherClusters(t *testing.T) others {
	t.Helper()
	running, err := node.Running("")
	if err != nil {
		t.Fatal(err)
	}
	o := others{processes: map[string]bool{}, networks: map[string]bool{}}
	for _, process := range running {
		if !strings.HasPrefix(process.Node.Cluster.Name, ours) {
			o.processes[fmt.Sprint(process.PID)] = true
		}
	}
	parents := parents(t)
	for pid := range parents {
		above := pid
		for above != "" && !o.processes[above] {
			above = parents[above]
		}
		if above != "" {
			o.processes[pid] = true
		}
	}
	for pid := range o.processes {
		if network, err := os.Readlink("/proc/" + pid + "/ns/net"); err == nil {
			o.networks[network] = true
		}
	}
	return o
}

// parents is the parent of each process.
func parents(t *testing.T) map[string]string {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, folder := range folders {
		stat, err := os.ReadFile(folder + "/stat")
		if err != nil {
			continue // gone
		}
		// The name of the program, in parentheses, may hold anything.
		text := string(stat)
		if fields := strings.Fields(text[strings.LastIndex(text, ")")+1:]); len(fields) > 1 {
			found[filepath.Base(folder)] = fields[1]
		}
	}
	return found
}

// haveProcess tells whether a process is theirs, or works in one of their networks.
func (o others) haveProcess(folder, network string) bool {
	return o.processes[filepath.Base(folder)] || o.networks[network]
}

// haveFile tells whether a file is theirs. The folder of all clusters is everybody's.
func (o others) haveFile(path string) bool {
	name, ok := strings.CutPrefix(path, layout.Root+"/")
	isShared := path == layout.Root || path == filepath.Dir(layout.Root)
	return ok && !strings.HasPrefix(name, ours) || isShared && len(o.processes) > 0
}

// haveCgroup tells whether a cgroup is theirs, by the name of the cluster in it.
func (o others) haveCgroup(path string) bool {
	cgroup := layout.Cluster{}.Cgroup()[1:]
	return slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool {
		name, ok := strings.CutPrefix(part, cgroup)
		return ok && !strings.HasPrefix(name, ours)
	})
}
