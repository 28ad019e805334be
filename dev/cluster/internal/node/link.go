package node

import (
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"shellac.dev/cluster/internal/layout"
)

// Link joins a further node to the first one with a cable of its own. The first node forwards between them.
func Link(first, other Process) error {
	firstNS, err := netns.GetFromPath(first.NetNS())
	if err != nil {
		return err
	}
	defer firstNS.Close()
	otherNS, err := netns.GetFromPath(other.NetNS())
	if err != nil {
		return err
	}
	defer otherNS.Close()
	at, err := netlink.NewHandleAt(firstNS)
	if err != nil {
		return err
	}
	defer at.Close()
	there, err := netlink.NewHandleAt(otherNS)
	if err != nil {
		return err
	}
	defer there.Close()

	name := fmt.Sprintf("node%d", other.Node.Index)
	cable := &netlink.Veth{
		LinkAttrs:     netlink.LinkAttrs{Name: name},
		PeerName:      "uplink",
		PeerNamespace: netlink.NsFd(int(otherNS)),
	}
	if err := at.LinkAdd(cable); err != nil {
		return fmt.Errorf("cannot join %s to %s: %w", other.Node.Name(), first.Node.Name(), err)
	}
	if err := route(at, name, first.Node.IP(), other.Node.IP(), other.Node.PodCIDR()); err != nil {
		return err
	}
	return route(there, "uplink", other.Node.IP(), first.Node.IP(), layout.PodCIDR, "172.30.0.0/24")
}

// route sends the given networks through the device, to the node at its far end.
func route(at *netlink.Handle, device, from, to string, networks ...string) error {
	link, err := at.LinkByName(device)
	if err != nil {
		return err
	}
	if err := at.LinkSetUp(link); err != nil {
		return err
	}
	neighbour := &netlink.Route{
		LinkIndex: link.Attrs().Index, Dst: host(to), Src: net.ParseIP(from), Scope: netlink.SCOPE_LINK,
	}
	if err := at.RouteReplace(neighbour); err != nil {
		return fmt.Errorf("route to %s: %w", to, err)
	}
	for _, cidr := range networks {
		err := at.RouteReplace(&netlink.Route{
			LinkIndex: link.Attrs().Index, Dst: network(cidr), Gw: net.ParseIP(to), Src: net.ParseIP(from),
			Flags: int(netlink.FLAG_ONLINK),
		})
		if err != nil {
			return fmt.Errorf("route to %s: %w", cidr, err)
		}
	}
	return nil
}
