//go:build hostile

package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// attack is one that runs in a process of its own.
type attack struct {
	*testing.T
	command *exec.Cmd
	input   io.WriteCloser
	output  io.Reader
	began   time.Time
}

// startAttack starts the clients of an attack in a process and a network namespace of their own.
func (s *site) startAttack(name string) *attack {
	s.Helper()
	aim, err := json.Marshal(target{Attack: name, Gateway: s.address, Pod: s.podAddress()})
	if err != nil {
		s.Fatal(err)
	}
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), attackVariable+"="+string(aim))
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	input, err := command.StdinPipe()
	if err != nil {
		s.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := command.Start(); err != nil {
		s.Fatal(err)
	}
	if err := connect(command.Process.Pid); err != nil {
		_ = command.Process.Kill()
		_ = command.Wait()
		s.Fatal(err)
	}
	fmt.Fprintln(input)
	return &attack{T: s.T, command: command, input: input, output: output, began: time.Now()}
}

// stop ends the attack, and tells what its clients saw and what they took of a core.
func (a *attack) stop() (report, float64) {
	a.Helper()
	lasted := time.Since(a.began)
	_ = a.input.Close()
	var seen report
	err := json.NewDecoder(a.output).Decode(&seen)
	if ended := a.command.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		a.Fatalf("the attackers did not report: %v", err)
	}
	used := a.command.ProcessState.UserTime() + a.command.ProcessState.SystemTime()
	return seen, used.Seconds() / lasted.Seconds()
}

// connect gives the network namespace of a process addresses and a way to the node. Both go with the process.
func connect(pid int) error {
	link := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: attackerLink}, PeerName: "eth0", PeerNamespace: netlink.NsPid(pid)}
	if err := netlink.LinkAdd(link); err != nil {
		return fmt.Errorf("link to the attackers: %w", err)
	}
	gateway := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(attackerNetwork + "1"), Mask: net.CIDRMask(24, 32)}}
	if err := netlink.AddrAdd(link, gateway); err != nil {
		return err
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return err
	}
	namespace, err := netns.GetFromPid(pid)
	if err != nil {
		return err
	}
	defer namespace.Close()
	inside, err := netlink.NewHandleAt(namespace)
	if err != nil {
		return err
	}
	defer inside.Close()
	eth, err := inside.LinkByName("eth0")
	if err != nil {
		return err
	}
	for n := range attackerAddresses {
		address := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(fmt.Sprint(attackerNetwork, 2+n)), Mask: net.CIDRMask(24, 32)}}
		if err := inside.AddrAdd(eth, address); err != nil {
			return err
		}
	}
	if err := inside.LinkSetUp(eth); err != nil {
		return err
	}
	return inside.RouteAdd(&netlink.Route{LinkIndex: eth.Attrs().Index, Gw: gateway.IP})
}
