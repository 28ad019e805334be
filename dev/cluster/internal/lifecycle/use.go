package lifecycle

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"shellac.dev/cluster/internal/image"
	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/node"
	"shellac.dev/cluster/internal/plan"
)

// process finds the supervisor of a node.
func process(n layout.Node) (node.Process, error) {
	running, err := node.Running(n.Cluster.Name)
	if err != nil {
		return node.Process{}, err
	}
	for _, p := range running {
		if p.Node == n {
			return p, nil
		}
	}
	if len(running) > 0 {
		return node.Process{}, fmt.Errorf("cluster %s has no node %d", n.Cluster.Name, n.Index)
	}
	return node.Process{}, fmt.Errorf("cluster %s is not up: `bin/cluster up --name %s` brings it up", n.Cluster.Name, n.Cluster.Name)
}

// Exec becomes the command, in the network of the node and with KUBECONFIG set. It returns only if it cannot.
func (m *Machine) Exec(n layout.Node, command []string) error {
	if err := requireRoot(); err != nil {
		return err
	}
	p, err := process(n)
	if err != nil {
		return err
	}
	dirs, err := m.Store.Dirs()
	if err != nil {
		return err
	}
	path := os.Getenv("PATH") + ":" + strings.Join(dirs, ":")
	if err := os.Setenv("PATH", path); err != nil {
		return err
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return fmt.Errorf("%s: no such command", command[0])
	}
	env := append(os.Environ(), "KUBECONFIG="+n.Cluster.Kubeconfig("admin"))
	return p.InNetwork(func() error { return syscall.Exec(program, command, env) })
}

// Program becomes one of the cluster's own programs, as kubectl or helm.
func (m *Machine) Program(c layout.Cluster, name string, args []string) error {
	path, err := m.Store.Bin(name)
	if err != nil {
		return err
	}
	return m.Exec(c.Node(1), append([]string{path}, args...))
}

// Load puts an image into every node.
func (m *Machine) Load(c layout.Cluster, tar string) ([]string, error) {
	if err := requireRoot(); err != nil {
		return nil, err
	}
	tags, err := image.Tags(tar)
	if err != nil {
		return nil, err
	}
	if _, err := process(c.Node(1)); err != nil {
		return nil, err
	}
	running, err := node.Running(c.Name)
	if err != nil {
		return nil, err
	}
	for _, p := range running {
		if err := m.load(p.Node, tar); err != nil {
			return nil, err
		}
	}
	return tags, nil
}

// LoadBuiltin loads one of the images that come with the project.
func (m *Machine) LoadBuiltin(c layout.Cluster, name string) ([]string, error) {
	tars, err := m.images()
	if err != nil {
		return nil, err
	}
	tar, ok := tars[name]
	if !ok {
		return nil, fmt.Errorf("there is no image %s: it is neither a file nor one of %s", name, strings.Join(builtin, ", "))
	}
	return m.Load(c, tar)
}

func (m *Machine) load(n layout.Node, tar string) error {
	ctr, err := m.Store.Bin("ctr")
	if err != nil {
		return err
	}
	cmd := exec.Command(ctr, "--address", n.Containerd(), "--namespace", "k8s.io", "images", "import", tar)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("node %s refuses the image %s: %s", n.Name(), tar, strings.TrimSpace(string(output)))
	}
	return nil
}

// addons applies the objects that every cluster starts with.
func (m *Machine) addons(first node.Process) error {
	text, err := plan.Addons(first.Node.Cluster)
	if err != nil {
		return err
	}
	cmd, err := m.kubectl(first, "apply", "--filename=-")
	if err != nil {
		return err
	}
	cmd.Stdin = strings.NewReader(text)
	if output, err := first.Run(cmd); err != nil {
		return fmt.Errorf("the cluster refuses its own objects: %s", strings.TrimSpace(string(output)))
	}
	return nil
}

func (m *Machine) await(first node.Process, args ...string) error {
	cmd, err := m.kubectl(first, append([]string{"wait", "--timeout=" + upPatience.String()}, args...)...)
	if err != nil {
		return err
	}
	if output, err := first.Run(cmd); err != nil {
		return fmt.Errorf("%s: %s", strings.Join(args, " "), strings.TrimSpace(string(output)))
	}
	return nil
}

func (m *Machine) kubectl(first node.Process, args ...string) (*exec.Cmd, error) {
	path, err := m.Store.Bin("kubectl")
	if err != nil {
		return nil, err
	}
	return exec.Command(path, append([]string{"--kubeconfig=" + first.Node.Cluster.Kubeconfig("admin")}, args...)...), nil
}

// errUnhealthy makes `status` end with a code that scripts can test.
var errUnhealthy = errors.New("not everything is ready")
