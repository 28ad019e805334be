package lifecycle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"shellac.dev/cluster/internal/cgroups"
	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/node"
	"shellac.dev/cluster/internal/plan"
)

const upPatience = 120 * time.Second

// Up brings up a cluster and returns when its nodes are Ready and names resolve.
func (m *Machine) Up(c layout.Cluster, nodes int) error {
	if err := requireRoot(); err != nil {
		return err
	}
	if nodes < 1 || nodes > layout.MaxNodes {
		return fmt.Errorf("a cluster has 1 to %d nodes, not %d", layout.MaxNodes, nodes)
	}
	unlock, err := lock(c)
	if errors.Is(err, errBusy) {
		return fmt.Errorf("the name %s is taken: another process brings that cluster up or down; give another --name", c.Name)
	}
	if err != nil {
		return err
	}
	defer unlock()
	if err := m.claim(c); err != nil {
		return err
	}
	if err := requireSpace(layout.Root); err != nil {
		return err
	}
	tools, tars, err := m.tools()
	if err != nil {
		return err
	}
	if err := m.create(c, nodes, tools, tars); err != nil {
		return errors.Join(err, m.sweepFailed(c))
	}
	m.Say("cluster %s is up: bin/cluster kubectl --name %s get nodes", c.Name, c.Name)
	return nil
}

// claim makes sure that the name is free, sweeping what an interrupted command or a restarted machine left.
func (m *Machine) claim(c layout.Cluster) error {
	running, err := node.Running(c.Name)
	if err != nil {
		return err
	}
	_, err = os.Stat(c.ReadyMark())
	if err == nil && len(running) > 0 {
		return fmt.Errorf("the name %s is taken: that cluster is up; take it down first, or give another --name", c.Name)
	}
	if _, err := os.Stat(c.Dir()); err == nil || len(running) > 0 {
		m.Say("sweeping what is left of an earlier cluster %s", c.Name)
	}
	return m.sweep(c)
}

// sweepFailed removes a cluster that did not come up, but for its logs, which are the only trace of why.
func (m *Machine) sweepFailed(c layout.Cluster) error {
	kept := filepath.Join(os.TempDir(), "shellac-"+c.Name+"-logs")
	_ = os.RemoveAll(kept)
	dirs, _ := filepath.Glob(filepath.Join(c.Dir(), "node-*", "logs"))
	for _, dir := range dirs {
		_ = os.CopyFS(filepath.Join(kept, filepath.Base(filepath.Dir(dir))), os.DirFS(dir))
	}
	if len(dirs) > 0 {
		m.Say("the components' logs are kept in %s", kept)
	}
	return m.sweep(c)
}

// tools finds the programs and images, builds what was never built, and refuses what is damaged.
func (m *Machine) tools() (plan.Tools, map[string]string, error) {
	if !m.Store.Complete() {
		if err := m.Prepare(); err != nil {
			return plan.Tools{}, nil, err
		}
	}
	if err := m.Store.Verify(); err != nil {
		return plan.Tools{}, nil, fmt.Errorf("%w: `bin/cluster prepare` builds it again", err)
	}
	tars, err := m.images()
	if err != nil {
		return plan.Tools{}, nil, err
	}
	dirs, err := m.Store.Dirs()
	if err != nil {
		return plan.Tools{}, nil, err
	}
	cni, err := cniPlugins()
	if err != nil {
		return plan.Tools{}, nil, err
	}
	return plan.Tools{
		Bin: func(name string) string {
			path, err := m.Store.Bin(name)
			if err != nil {
				panic(err) // a name in our own source
			}
			return path
		},
		Path:         strings.Join(append(dirs, "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin"), ":"),
		CNIPlugins:   cni,
		LoadBalancer: m.Home.program("loadbalancer"),
	}, tars, nil
}

func cniPlugins() (string, error) {
	for _, dir := range []string{"/usr/lib/cni", "/opt/cni/bin"} {
		if _, err := os.Stat(filepath.Join(dir, "bridge")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("the CNI plugins are missing: run `make setup`, or install the package containernetworking-plugins")
}

// create does the work of Up once the way is free.
func (m *Machine) create(c layout.Cluster, nodes int, tools plan.Tools, tars map[string]string) error {
	if err := writeCertificates(c, nodes); err != nil {
		return err
	}
	var processes []node.Process
	for i := 1; i <= nodes; i++ {
		process, err := m.startNode(c.Node(i), nodes, tools)
		if err != nil {
			return err
		}
		processes = append(processes, process)
		if i > 1 {
			if err := node.Link(processes[0], process); err != nil {
				return err
			}
		}
	}
	m.Say("started %d node(s)", nodes)
	if err := m.awaitComponents(c, processes); err != nil {
		return err
	}
	for i := 1; i <= nodes; i++ {
		for _, name := range []string{"pause", "coredns"} {
			if err := m.load(c.Node(i), tars[name]); err != nil {
				return err
			}
		}
	}
	if err := m.addons(processes[0]); err != nil {
		return err
	}
	for i := 1; i <= nodes; i++ {
		// A node that has not registered yet cannot be waited for in any other way.
		for _, state := range []string{"create", "condition=Ready"} {
			if err := m.await(processes[0], "--for="+state, "node/"+c.Node(i).Name()); err != nil {
				return err
			}
		}
		m.Say("node %s is Ready", c.Node(i).Name())
	}
	if err := m.await(processes[0], "--for=condition=Available", "--namespace=kube-system", "deployment/coredns"); err != nil {
		return err
	}
	return os.WriteFile(c.ReadyMark(), nil, 0o644)
}

func (m *Machine) startNode(n layout.Node, nodes int, tools plan.Tools) (node.Process, error) {
	files, err := plan.Files(n, tools)
	if err != nil {
		return node.Process{}, err
	}
	spec, err := json.MarshalIndent(plan.For(n, nodes, tools), "", "  ")
	if err != nil {
		return node.Process{}, err
	}
	files[n.Spec()] = string(spec)
	if err := os.MkdirAll(n.Logs(), 0o755); err != nil {
		return node.Process{}, err
	}
	for path, text := range files {
		if err := writeFile(path, []byte(text), 0o644); err != nil {
			return node.Process{}, err
		}
	}
	if err := makeCgroups(n); err != nil {
		return node.Process{}, err
	}
	process, err := node.Start(n)
	if err != nil {
		return node.Process{}, err
	}
	// Its network exists from the start, but its addresses and routes only when it answers.
	deadline := time.Now().Add(10 * time.Second)
	for {
		if _, err = node.ControlOf(n).Components(); err == nil {
			return process, nil
		}
		if !process.Alive() || time.Now().After(deadline) {
			text, _ := os.ReadFile(n.Log("supervisor"))
			return node.Process{}, fmt.Errorf("node %s did not start: %s", n.Name(), strings.TrimSpace(string(text)))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// makeCgroups has pods weigh as much as all processors, which kubelet gives them, and the control plane and the rest of the node together as much as one: as on a node where systemd
// keeps them in a slice. Without it each process of the control plane would weigh as much as all pods together, and whoever writes many objects would slow down what pods serve.
func makeCgroups(n layout.Node) error {
	if err := cgroups.Make(n.SystemCgroup()); err != nil {
		return err
	}
	for _, cgroup := range []string{n.Cluster.Cgroup(), n.Cgroup()} {
		if err := cgroups.Weigh(cgroup, runtime.NumCPU()+1); err != nil {
			return err
		}
	}
	return nil
}

// awaitComponents waits until every component of every node is ready.
func (m *Machine) awaitComponents(c layout.Cluster, processes []node.Process) error {
	deadline := time.Now().Add(upPatience)
	said := map[string]bool{}
	for {
		var missing []string
		for _, process := range processes {
			states, err := node.ControlOf(process.Node).Components()
			if err != nil {
				return err
			}
			for _, state := range states {
				id := fmt.Sprintf("%s of %s", state.Name, process.Node.Name())
				switch {
				case state.Phase != node.Ready:
					missing = append(missing, id)
				case !said[id]:
					said[id] = true
					m.Say("%s is ready", id)
				}
				if state.Restarts >= 5 {
					return fmt.Errorf("%s ended %d times (%s): %s", id, state.Restarts, state.LastExit, lastLine(process.Node.Log(state.Name)))
				}
			}
		}
		if len(missing) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("cluster %s did not come up in %s: waiting for %s", c.Name, upPatience, strings.Join(missing, ", "))
		}
		time.Sleep(30 * time.Millisecond)
	}
}

func lastLine(file string) string {
	text, _ := os.ReadFile(file)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

func writeFile(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, mode)
}
