package node

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"shellac.dev/cluster/internal/cgroups"
	"shellac.dev/cluster/internal/layout"
)

// enter makes the namespaces that the supervisor was born into a node: its own /proc, its own /run and
// /var (so that every program keeps its default paths and the host's stay untouched), its own loopback.
func enter(n layout.Node) error {
	if err := cgroups.Enter(n.SystemCgroup()); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(n.Name())); err != nil {
		return fmt.Errorf("host name: %w", err)
	}
	if err := mountOwnFolders(n); err != nil {
		return err
	}
	return prepareNetwork(n)
}

func mountOwnFolders(n layout.Node) error {
	m := &mounter{}
	// Nothing that is mounted here may show on the host.
	m.mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	m.mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")

	// The new /var hides the cluster's folder; a handle on it survives that.
	keep := filepath.Join(n.Dir(), "mnt")
	m.mkdir(keep)
	m.mount("tmpfs", keep, "tmpfs", 0, "mode=755")
	for _, dir := range []string{"lib", "log", "tmp", "cache", "lib/kubelet", "lib/containerd"} {
		m.mkdir(filepath.Join(keep, dir))
	}
	for from, to := range map[string]string{
		n.Cluster.Dir():                      n.Cluster.Dir(),
		filepath.Join(n.Dir(), "kubelet"):    "/var/lib/kubelet",
		filepath.Join(n.Dir(), "containerd"): "/var/lib/containerd",
		filepath.Join(n.Dir(), "pod-logs"):   "/var/log",
	} {
		target := filepath.Join(keep, trimVar(to))
		m.mkdir(from)
		m.mkdir(target)
		m.mount(from, target, "", unix.MS_BIND, "")
	}
	m.symlink("/run", filepath.Join(keep, "run"))
	m.mount(keep, "/var", "", unix.MS_MOVE, "")
	m.mount("tmpfs", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755")
	m.mkdir("/run/netns")
	// Within the node, what kubelet mounts must reach the containers.
	m.mount("", "/", "", unix.MS_REC|unix.MS_SHARED, "")
	return m.err
}

func trimVar(path string) string {
	rel, err := filepath.Rel("/var", path)
	if err != nil {
		return path
	}
	return rel
}

// mounter stops at the first failure, so that a list of mounts reads as one.
type mounter struct{ err error }

func (m *mounter) mount(source, target, kind string, flags uintptr, options string) {
	if m.err != nil {
		return
	}
	if err := unix.Mount(source, target, kind, flags, options); err != nil {
		m.err = fmt.Errorf("mount %s on %s: %w", source, target, err)
	}
}

func (m *mounter) mkdir(path string) {
	if m.err == nil {
		m.err = os.MkdirAll(path, 0o755)
	}
}

func (m *mounter) symlink(to, path string) {
	if m.err == nil {
		m.err = os.Symlink(to, path)
	}
}

func prepareNetwork(n layout.Node) error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	if err := netlink.AddrAdd(lo, &netlink.Addr{IPNet: host(n.IP())}); err != nil {
		return fmt.Errorf("address %s: %w", n.IP(), err)
	}
	// Connections to Service and LoadBalancer addresses start here; without a route they would end here, too,
	// before kube-proxy's rules see them.
	for _, cidr := range []string{layout.ServiceCIDR, layout.LoadBalancerIP} {
		route := &netlink.Route{
			LinkIndex: lo.Attrs().Index, Dst: network(cidr),
			Type: unix.RTN_LOCAL, Table: unix.RT_TABLE_LOCAL, Scope: netlink.SCOPE_HOST,
		}
		if err := netlink.RouteAdd(route); err != nil {
			return fmt.Errorf("route to %s: %w", cidr, err)
		}
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
		return err
	}
	// Absent where bridged packets are never filtered; kube-proxy needs them filtered where they can be.
	err = os.WriteFile("/proc/sys/net/bridge/bridge-nf-call-iptables", []byte("1"), 0o644)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// host is the network that holds one address.
func host(ip string) *net.IPNet {
	return &net.IPNet{IP: net.ParseIP(ip), Mask: net.CIDRMask(32, 32)}
}

// network parses one of layout's constants.
func network(cidr string) *net.IPNet {
	_, n, err := net.ParseCIDR(cidr)
	if err != nil {
		panic(err)
	}
	return n
}
