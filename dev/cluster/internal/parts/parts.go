// Package parts builds the programs that a cluster consists of, once for each version, into a cache outside the
// checkout, and verifies them each time they are used.
package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Part is a Go module of parts/ and the programs that are built from it.
type Part struct {
	Name     string
	module   string            // whose version is the part's
	programs map[string]string // program -> package
	tags     string
	cgo      bool
	ldflags  func(versions versions) string
}

// versions are those of the modules that a part's go.mod asks for.
type versions map[string]string

// release is the major and the minor number of a module's version.
func (v versions) release(module string) (major, minor string) {
	major, rest, _ := strings.Cut(strings.TrimPrefix(v[module], "v"), ".")
	minor, _, _ = strings.Cut(rest, ".")
	return major, minor
}

// All are the parts of a cluster.
var All = []Part{
	{
		Name:   "etcd",
		module: "go.etcd.io/etcd/server/v3",
		programs: map[string]string{
			"etcd": "go.etcd.io/etcd/server/v3",
		},
	},
	{
		Name:   "runc",
		module: "github.com/opencontainers/runc",
		programs: map[string]string{
			"runc": "github.com/opencontainers/runc",
		},
		tags: "seccomp",
		cgo:  true,
	},
	{
		Name:   "echo",
		module: "sigs.k8s.io/gateway-api-conformance-images",
		programs: map[string]string{
			"echo-basic": "sigs.k8s.io/gateway-api-conformance-images/echo-basic",
		},
	},
	{
		Name:   "containerd",
		module: "github.com/containerd/containerd/v2",
		programs: map[string]string{
			"containerd":              "github.com/containerd/containerd/v2/cmd/containerd",
			"containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
			"ctr":                     "github.com/containerd/containerd/v2/cmd/ctr",
		},
		tags: "no_btrfs,no_zfs,no_devmapper,no_aufs",
		ldflags: func(versions versions) string {
			return "-X github.com/containerd/containerd/v2/version.Version=" + versions["github.com/containerd/containerd/v2"]
		},
	},
	{
		Name:   "coredns",
		module: "github.com/coredns/coredns",
		programs: map[string]string{
			"coredns": ".",
		},
	},
	{
		Name:   "helm",
		module: "helm.sh/helm/v3",
		programs: map[string]string{
			"helm": "helm.sh/helm/v3/cmd/helm",
		},
		// Without these, `helm template` takes every cluster for one of v1.20. As in Helm's own Makefile, it is the release of its client.
		ldflags: func(versions versions) string {
			const at = "helm.sh/helm/v3/"
			_, minor := versions.release("k8s.io/client-go")
			flags := "-X " + at + "internal/version.version=" + versions["helm.sh/helm/v3"]
			for _, one := range []string{"pkg/chartutil", "pkg/lint/rules"} {
				flags += fmt.Sprintf(" -X %s%s.k8sVersionMajor=1 -X %s%s.k8sVersionMinor=%s", at, one, at, one, minor)
			}
			return flags
		},
	},
	{
		Name:   "kubernetes",
		module: "k8s.io/kubernetes",
		programs: map[string]string{
			"kube-apiserver":          "k8s.io/kubernetes/cmd/kube-apiserver",
			"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
			"kube-scheduler":          "k8s.io/kubernetes/cmd/kube-scheduler",
			"kube-proxy":              "k8s.io/kubernetes/cmd/kube-proxy",
			"kubelet":                 "k8s.io/kubernetes/cmd/kubelet",
			"kubectl":                 "k8s.io/kubernetes/cmd/kubectl",
		},
		// Without these, clients are told v0.0.0.
		ldflags: func(versions versions) string {
			const module = "k8s.io/kubernetes"
			const at = "k8s.io/component-base/version."
			major, minor := versions.release(module)
			return fmt.Sprintf("-X %sgitVersion=%s -X %sgitMajor=%s -X %sgitMinor=%s", at, versions[module], at, major, at, minor)
		},
	},
}

// CacheDir is where everything is kept that is built once: SHELLAC_CACHE, or shellac in the user's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv("SHELLAC_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for the cache: set SHELLAC_CACHE (%w)", err)
	}
	return filepath.Join(dir, "shellac"), nil
}

// Store is the parts of one checkout, in one cache.
type Store struct {
	sources string
	cache   string
}

// Open opens the store for the modules in the given folder.
func Open(sources string) (*Store, error) {
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	return &Store{sources: sources, cache: cache}, nil
}

// Cache is the cache folder.
func (s *Store) Cache() string { return s.cache }

func (s *Store) source(p Part) string { return filepath.Join(s.sources, p.Name) }

var requirement = regexp.MustCompile(`(?m)^(?:require)?\s*(\S+) (v\S+)`)

// Version is the version that the part's go.mod asks for.
func (s *Store) Version(p Part) (string, error) {
	versions, err := s.versions(p)
	if err != nil {
		return "", err
	}
	if version, ok := versions[p.module]; ok {
		return version, nil
	}
	return "", fmt.Errorf("%s/go.mod does not require %s", s.source(p), p.module)
}

func (s *Store) versions(p Part) (versions, error) {
	text, err := os.ReadFile(filepath.Join(s.source(p), "go.mod"))
	if err != nil {
		return nil, err
	}
	found := versions{}
	for _, match := range requirement.FindAllStringSubmatch(string(text), -1) {
		found[match[1]] = match[2]
	}
	return found, nil
}

// dir is where the built part lies. Its name changes with everything that the programs are made of.
func (s *Store) dir(p Part) (string, error) {
	version, err := s.Version(p)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	inputs, err := filepath.Glob(filepath.Join(s.source(p), "*"))
	if err != nil {
		return "", err
	}
	slices.Sort(inputs)
	for _, input := range inputs {
		if info, err := os.Stat(input); err != nil || info.IsDir() {
			continue
		}
		text, err := os.ReadFile(input)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(input), len(text), text)
	}
	args, err := s.buildArgs(p, "")
	if err != nil {
		return "", err
	}
	fmt.Fprintln(hash, args, p.cgo)
	key := hex.EncodeToString(hash.Sum(nil))[:10]
	return filepath.Join(s.cache, "parts", p.Name+"-"+version+"-"+key), nil
}

// Bin is the path of a program.
func (s *Store) Bin(program string) (string, error) {
	for _, p := range All {
		if _, ok := p.programs[program]; ok {
			dir, err := s.dir(p)
			return filepath.Join(dir, program), err
		}
	}
	return "", fmt.Errorf("no part has a program %s", program)
}

// Dirs are the folders of all parts, as for a PATH.
func (s *Store) Dirs() ([]string, error) {
	var dirs []string
	for _, p := range All {
		dir, err := s.dir(p)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

func (p Part) programNames() []string {
	names := make([]string, 0, len(p.programs))
	for name := range p.programs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
