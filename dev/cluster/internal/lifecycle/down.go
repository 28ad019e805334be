package lifecycle

import (
	"errors"
	"fmt"
	"os"
	"time"

	"shellac.dev/cluster/internal/cgroups"
	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/node"
)

const downPatience = 8 * time.Second

// Down ends a cluster and removes all that it left. It works on the remains of an `up` that was killed and on
// those of a machine that was restarted just the same, and is content when there is nothing to do.
func (m *Machine) Down(c layout.Cluster) error {
	if err := requireRoot(); err != nil {
		return err
	}
	unlock, err := lock(c)
	if err != nil {
		return err
	}
	defer unlock()
	return m.sweep(c)
}

// sweep ends the nodes, then removes their cgroups and the cluster's folder. The caller holds the lock.
func (m *Machine) sweep(c layout.Cluster) error {
	running, err := node.Running(c.Name)
	if err != nil {
		return err
	}
	for _, process := range running {
		if err := process.Kill(); err != nil {
			return err
		}
	}
	deadline := time.Now().Add(downPatience)
	for _, process := range running {
		for process.Alive() {
			if time.Now().After(deadline) {
				return fmt.Errorf("node %s (pid %d) does not end", process.Node.Name(), process.PID)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	if err := cgroups.Remove(c.Cgroup(), downPatience); err != nil {
		return err
	}
	if err := os.RemoveAll(c.Dir()); err != nil {
		return fmt.Errorf("cannot remove the remains of cluster %s: %w", c.Name, err)
	}
	return nil
}

// Known lists the clusters of this machine: the running ones and the remains of others.
func Known() ([]layout.Cluster, error) {
	entries, err := os.ReadDir(layout.Root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []layout.Cluster
	for _, entry := range entries {
		if c, err := layout.Named(entry.Name()); err == nil && entry.IsDir() {
			found = append(found, c)
		}
	}
	return found, nil
}
