// Package layout says where a cluster keeps its files and which addresses it uses. Everything that
// belongs to one cluster lies in one folder, named after it; nothing else on the machine is written.
package layout

import (
	"fmt"
	"path/filepath"
	"regexp"
)

// Root holds one folder for each cluster.
const Root = "/var/lib/shellac/clusters"

// Every cluster has network namespaces of its own, so all of them use the same addresses.
const (
	ServiceCIDR    = "10.96.0.0/16"
	APIServiceIP   = "10.96.0.1"
	DNSServiceIP   = "10.96.0.10"
	PodCIDR        = "10.244.0.0/16"
	LoadBalancerIP = "172.30.1.0/24"
	Domain         = "cluster.local"
)

// MaxNodes bounds a cluster: the tests need two, and a machine of two cores carries few more.
const MaxNodes = 4

// The name is part of host names, cgroup names and process arguments, so it is kept short and plain.
var validName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,19}$`)

// Cluster is a cluster's name together with the paths that follow from it.
type Cluster struct {
	Name string
}

// Named checks the name of a cluster.
func Named(name string) (Cluster, error) {
	if !validName.MatchString(name) {
		return Cluster{}, fmt.Errorf("%q is not a cluster name: use 1 to 20 of a-z, 0-9 and '-', starting with a letter", name)
	}
	return Cluster{Name: name}, nil
}

// Dir is the folder that holds everything of this cluster.
func (c Cluster) Dir() string { return filepath.Join(Root, c.Name) }

// Lock is held by whoever changes the cluster. It lies beside Dir, which comes and goes.
func (c Cluster) Lock() string { return filepath.Join(Root, "."+c.Name+".lock") }

// ReadyMark exists once `up` has finished; without it, what Dir holds is the remains of one that did not.
func (c Cluster) ReadyMark() string { return filepath.Join(c.Dir(), "ready") }

// PKI is the folder of certificates and keys.
func (c Cluster) PKI() string { return filepath.Join(c.Dir(), "pki") }

// Config is the folder of configuration files and kubeconfigs.
func (c Cluster) Config() string { return filepath.Join(c.Dir(), "config") }

// Kubeconfig is the file with which to reach a cluster as the component (or "admin").
func (c Cluster) Kubeconfig(component string) string {
	return filepath.Join(c.Config(), component+".kubeconfig")
}

// Cgroup is the root of the cluster's cgroups, in each hierarchy.
func (c Cluster) Cgroup() string { return "/shellac-" + c.Name }

// Node is the i-th node, counted from 1. The first one carries the control plane.
func (c Cluster) Node(i int) Node { return Node{Cluster: c, Index: i} }

// Node is one node of a cluster: a set of namespaces with a kubelet in it.
type Node struct {
	Cluster Cluster
	Index   int
}

// Name is the name under which Kubernetes knows the node.
func (n Node) Name() string { return fmt.Sprintf("%s-%d", n.Cluster.Name, n.Index) }

// Dir is the folder of this node.
func (n Node) Dir() string { return filepath.Join(n.Cluster.Dir(), fmt.Sprintf("node-%d", n.Index)) }

// Logs is the folder of the components' logs.
func (n Node) Logs() string { return filepath.Join(n.Dir(), "logs") }

// Log is the file that a component of this node writes its output to.
func (n Node) Log(component string) string { return filepath.Join(n.Logs(), component+".log") }

// Spec is the file that tells the node's supervisor what to run.
func (n Node) Spec() string { return filepath.Join(n.Dir(), "node.json") }

// Control is the socket on which the node's supervisor answers.
func (n Node) Control() string { return filepath.Join(n.Dir(), "control.sock") }

// Containerd is the socket of the node's containerd.
func (n Node) Containerd() string { return filepath.Join(n.Dir(), "containerd.sock") }

// IP is the node's address.
func (n Node) IP() string { return fmt.Sprintf("172.30.0.%d", n.Index) }

// PodCIDR is the range from which the pods of this node get their addresses.
func (n Node) PodCIDR() string { return fmt.Sprintf("10.244.%d.0/24", n.Index) }

// Cgroup is the kubelet's cgroup root.
func (n Node) Cgroup() string { return fmt.Sprintf("%s/node-%d", n.Cluster.Cgroup(), n.Index) }

// SystemCgroup is that of all that runs on the node and is no pod: pods and it share the processors as on a node of systemd.
func (n Node) SystemCgroup() string { return n.Cgroup() + "/system" }
