package lifecycle

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/node"
)

// Status prints what runs, and is an error unless all of it is ready.
func (m *Machine) Status(c layout.Cluster, out io.Writer) error {
	running, err := node.Running(c.Name)
	if err != nil {
		return err
	}
	if len(running) == 0 {
		if _, err := os.Stat(c.Dir()); err == nil {
			return fmt.Errorf("cluster %s is down and left remains: `bin/cluster down --name %s` removes them", c.Name, c.Name)
		}
		return fmt.Errorf("cluster %s is down", c.Name)
	}
	slices.SortFunc(running, func(a, b node.Process) int { return a.Node.Index - b.Node.Index })
	healthy := true
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NODE\tADDRESS\tCOMPONENT\tSTATE\tFOR\tRESTARTS\tLAST EXIT")
	for _, p := range running {
		states, err := node.ControlOf(p.Node).Components()
		if err != nil {
			return err
		}
		for _, s := range states {
			healthy = healthy && s.Phase == node.Ready
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", p.Node.Name(), p.Node.IP(), s.Name, s.Phase,
				time.Since(s.Since).Round(time.Second), s.Restarts, s.LastExit)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nkubeconfig (inside the cluster's network): %s\n", c.Kubeconfig("admin"))
	if !healthy {
		return errUnhealthy
	}
	return nil
}

// LogFile finds the log of a component, on the first node that has it.
func (m *Machine) LogFile(c layout.Cluster, component string) (string, error) {
	var known []string
	for i := 1; i <= layout.MaxNodes; i++ {
		entries, err := os.ReadDir(c.Node(i).Logs())
		if err != nil {
			continue
		}
		for _, entry := range entries {
			name := strings.TrimSuffix(entry.Name(), ".log")
			if i > 1 {
				name = fmt.Sprintf("%s-%d", name, i)
			}
			if name == component {
				return c.Node(i).Logs() + "/" + entry.Name(), nil
			}
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return "", fmt.Errorf("cluster %s has no logs: it is not up", c.Name)
	}
	return "", fmt.Errorf("no component %q; there are %s", component, strings.Join(known, ", "))
}
