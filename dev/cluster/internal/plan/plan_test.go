package plan

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"shellac.dev/cluster/internal/layout"
)

var tools = Tools{
	Bin:          func(name string) string { return "/cache/" + name },
	Path:         "/cache:/bin",
	CNIPlugins:   "/usr/lib/cni",
	LoadBalancer: "/build/loadbalancer",
}

func names(spec NodeSpec) []string {
	var out []string
	for _, c := range spec.Components {
		out = append(out, c.Name)
	}
	return out
}

func TestOnlyTheFirstNodeCarriesTheControlPlane(t *testing.T) {
	cluster := layout.Cluster{Name: "c"}
	first, second := names(For(cluster.Node(1), 2, tools)), names(For(cluster.Node(2), 2, tools))
	if !slices.Equal(second, []string{"containerd", "kubelet", "kube-proxy"}) {
		t.Errorf("second node: %v", second)
	}
	if !slices.Contains(first, "kube-apiserver") || !slices.Contains(first, "kubelet") {
		t.Errorf("first node: %v", first)
	}
}

func TestEverythingThatIsWaitedForExists(t *testing.T) {
	cluster := layout.Cluster{Name: "c"}
	for i := 1; i <= 2; i++ {
		spec := For(cluster.Node(i), 2, tools)
		for _, c := range spec.Components {
			for _, need := range c.After {
				if !slices.Contains(names(spec), need) {
					t.Errorf("%s of node %d waits for %s, which is not there", c.Name, i, need)
				}
			}
			if !slices.Contains(c.Env, "PATH=/cache:/bin") {
				t.Errorf("%s has no PATH", c.Name)
			}
		}
	}
}

func TestFilesAreFilledInAndParse(t *testing.T) {
	node := layout.Cluster{Name: "c"}.Node(2)
	files, err := Files(node, tools)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") {
			t.Errorf("%s has a hole:\n%s", path, text)
		}
		if strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".conflist") {
			var any map[string]any
			if err := yaml.UnmarshalStrict([]byte(text), &any); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if !strings.Contains(files[node.Dir()+"/cni/10-pods.conflist"], node.PodCIDR()) {
		t.Error("the pods of the second node get addresses of another range")
	}
}
