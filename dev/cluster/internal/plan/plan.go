// Package plan decides what runs on each node of a cluster: every component's command line, its
// configuration file, and what must be ready before it starts. It only computes; others write and start.
package plan

import (
	"bytes"
	"embed"
	"path/filepath"
	"text/template"

	"shellac.dev/cluster/internal/layout"
)

// The images that every cluster carries. The tags name no registry: they are loaded, never pulled.
const (
	PauseImage   = "docker.io/shellac/pause:1"
	CoreDNSImage = "docker.io/shellac/coredns:1"
)

// Component is one process of a node.
type Component struct {
	Name  string   `json:"name"`
	Args  []string `json:"args"`
	Env   []string `json:"env,omitempty"`
	After []string `json:"after,omitempty"`
	// Ready is a URL that answers 200, or the path of a socket that accepts. Empty: ready once started.
	Ready string `json:"ready,omitempty"`
}

// NodeSpec is all that a node's supervisor needs to know.
type NodeSpec struct {
	Cluster    string      `json:"cluster"`
	Index      int         `json:"index"`
	Nodes      int         `json:"nodes"`
	Components []Component `json:"components"`
}

// Tools are the programs that a node runs.
type Tools struct {
	// Bin finds a program of the cache by name.
	Bin func(name string) string
	// Path is the PATH of all components: containerd looks there for its shim.
	Path string
	// CNIPlugins is the folder of the distribution's CNI plugins.
	CNIPlugins string
	// LoadBalancer is the project's own load balancer.
	LoadBalancer string
}

// For plans the given node of a cluster with that many nodes.
func For(node layout.Node, nodes int, tools Tools) NodeSpec {
	spec := NodeSpec{Cluster: node.Cluster.Name, Index: node.Index, Nodes: nodes}
	if node.Index == 1 {
		spec.Components = append(spec.Components, controlPlane(node, tools)...)
	}
	spec.Components = append(spec.Components, worker(node, tools)...)
	for i := range spec.Components {
		c := &spec.Components[i]
		c.Env = append(c.Env, "PATH="+tools.Path, "HOME="+node.Dir())
	}
	return spec
}

func controlPlane(node layout.Node, tools Tools) []Component {
	c := node.Cluster
	pki := func(name string) string { return filepath.Join(c.PKI(), name) }
	return []Component{
		{
			Name: "etcd",
			Args: []string{
				tools.Bin("etcd"), "--name=" + node.Name(), "--data-dir=" + filepath.Join(c.Dir(), "etcd"),
				"--listen-client-urls=http://127.0.0.1:2379", "--advertise-client-urls=http://127.0.0.1:2379",
				"--listen-peer-urls=http://127.0.0.1:2380", "--initial-advertise-peer-urls=http://127.0.0.1:2380",
				"--initial-cluster=" + node.Name() + "=http://127.0.0.1:2380",
				// The cluster does not outlive its machine, so its store need not either.
				"--unsafe-no-fsync", "--log-level=warn",
			},
			Ready: "http://127.0.0.1:2379/health",
		},
		{
			Name: "kube-apiserver",
			Args: []string{
				tools.Bin("kube-apiserver"), "--etcd-servers=http://127.0.0.1:2379",
				"--bind-address=0.0.0.0", "--advertise-address=" + node.IP(), "--secure-port=6443",
				"--service-cluster-ip-range=" + layout.ServiceCIDR, "--allow-privileged=true",
				"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
				"--client-ca-file=" + pki("ca.crt"),
				"--tls-cert-file=" + pki("apiserver.crt"), "--tls-private-key-file=" + pki("apiserver.key"),
				"--kubelet-client-certificate=" + pki("apiserver-kubelet.crt"), "--kubelet-client-key=" + pki("apiserver-kubelet.key"),
				"--kubelet-preferred-address-types=InternalIP",
				"--service-account-issuer=https://kubernetes.default.svc." + layout.Domain,
				"--service-account-key-file=" + pki("service-account.crt"), "--service-account-signing-key-file=" + pki("service-account.key"),
				"--requestheader-client-ca-file=" + pki("front-proxy-ca.crt"), "--requestheader-allowed-names=front-proxy",
				"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
				"--requestheader-extra-headers-prefix=X-Remote-Extra-",
				"--proxy-client-cert-file=" + pki("front-proxy.crt"), "--proxy-client-key-file=" + pki("front-proxy.key"),
				"--enable-aggregator-routing=true",
			},
			After: []string{"etcd"},
			Ready: "https://127.0.0.1:6443/readyz",
		},
		{
			Name: "kube-controller-manager",
			Args: []string{
				tools.Bin("kube-controller-manager"), "--kubeconfig=" + c.Kubeconfig("kube-controller-manager"),
				"--authentication-kubeconfig=" + c.Kubeconfig("kube-controller-manager"),
				"--authorization-kubeconfig=" + c.Kubeconfig("kube-controller-manager"),
				"--leader-elect=false", "--bind-address=127.0.0.1", "--use-service-account-credentials=true",
				"--root-ca-file=" + pki("ca.crt"), "--service-account-private-key-file=" + pki("service-account.key"),
				"--cluster-signing-cert-file=" + pki("ca.crt"), "--cluster-signing-key-file=" + pki("ca.key"),
			},
			After: []string{"kube-apiserver"},
			Ready: "https://127.0.0.1:10257/healthz",
		},
		{
			Name: "kube-scheduler",
			Args: []string{
				tools.Bin("kube-scheduler"), "--kubeconfig=" + c.Kubeconfig("kube-scheduler"),
				"--authentication-kubeconfig=" + c.Kubeconfig("kube-scheduler"),
				"--authorization-kubeconfig=" + c.Kubeconfig("kube-scheduler"),
				"--leader-elect=false", "--bind-address=127.0.0.1",
			},
			After: []string{"kube-apiserver"},
			Ready: "https://127.0.0.1:10259/healthz",
		},
		{
			Name: "loadbalancer",
			Args: []string{
				tools.LoadBalancer, "--kubeconfig=" + c.Kubeconfig("loadbalancer"), "--pool=" + layout.LoadBalancerIP,
			},
			After: []string{"kube-apiserver"},
		},
	}
}

func worker(node layout.Node, tools Tools) []Component {
	c := node.Cluster
	var afterAPI []string
	if node.Index == 1 {
		afterAPI = []string{"kube-apiserver"}
	}
	return []Component{
		{
			Name:  "containerd",
			Args:  []string{tools.Bin("containerd"), "--config=" + filepath.Join(node.Dir(), "containerd.toml"), "--log-level=warn"},
			Ready: node.Containerd(),
		},
		{
			Name: "kubelet",
			Args: []string{
				tools.Bin("kubelet"), "--config=" + filepath.Join(node.Dir(), "kubelet.yaml"),
				"--kubeconfig=" + c.Kubeconfig("kubelet-"+node.Name()), "--hostname-override=" + node.Name(),
				"--node-ip=" + node.IP(), "--root-dir=/var/lib/kubelet", "--cert-dir=" + filepath.Join(node.Dir(), "kubelet", "pki"),
			},
			After: append([]string{"containerd"}, afterAPI...),
			Ready: "http://127.0.0.1:10248/healthz",
		},
		{
			Name:  "kube-proxy",
			Args:  []string{tools.Bin("kube-proxy"), "--config=" + filepath.Join(node.Dir(), "kube-proxy.yaml")},
			After: afterAPI,
			Ready: "http://127.0.0.1:10256/healthz",
		},
	}
}

//go:embed files
var files embed.FS

// Files are the configuration files of a node, by path.
func Files(node layout.Node, tools Tools) (map[string]string, error) {
	values := map[string]string{
		"Name": node.Name(), "Dir": node.Dir(), "Config": node.Cluster.Config(), "PKI": node.Cluster.PKI(),
		"Cgroup": node.Cgroup(), "Containerd": node.Containerd(), "NodePodCIDR": node.PodCIDR(),
		"PodCIDR": layout.PodCIDR, "DNSServiceIP": layout.DNSServiceIP, "Domain": layout.Domain,
		"PauseImage": PauseImage, "CNIPlugins": tools.CNIPlugins, "Runc": tools.Bin("runc"),
	}
	out := map[string]string{}
	for from, to := range map[string]string{
		"kubelet.yaml":    "kubelet.yaml",
		"kube-proxy.yaml": "kube-proxy.yaml",
		"containerd.toml": "containerd.toml",
		"cni.conflist":    "cni/10-pods.conflist",
	} {
		text, err := render(from, values)
		if err != nil {
			return nil, err
		}
		out[filepath.Join(node.Dir(), to)] = text
	}
	return out, nil
}

// Addons are the objects that every cluster starts with.
func Addons(cluster layout.Cluster) (string, error) {
	return render("addons.yaml", map[string]string{
		"Domain": layout.Domain, "DNSServiceIP": layout.DNSServiceIP,
		"CoreDNSImage": CoreDNSImage, "FirstNode": cluster.Node(1).Name(),
	})
}

func render(name string, values map[string]string) (string, error) {
	text, err := files.ReadFile("files/" + name)
	if err != nil {
		return "", err
	}
	t, err := template.New(name).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, values); err != nil {
		return "", err
	}
	return out.String(), nil
}
