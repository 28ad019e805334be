//go:build hostile

package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

const (
	attackVariable = "SHELLAC_ATTACK"
	// The attackers' network, beside those of the cluster.
	attackerNetwork   = "172.29.77."
	attackerLink      = "attackers"
	attackerAddresses = 16
)

// target is what a client's attack is aimed at.
type target struct {
	Attack  string
	Gateway string
	Pod     string
}

// report is what the attackers saw.
type report struct {
	Sent     int
	Problems []string
}

// TestMain runs the tests; or, in a process that startAttack has made, one attack.
func TestMain(m *testing.M) {
	aim := os.Getenv(attackVariable)
	if aim == "" {
		os.Exit(m.Run())
	}
	var at target
	if err := json.Unmarshal([]byte(aim), &at); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	a := &attackers{target: at}
	input := bufio.NewReader(os.Stdin)
	// The network is ready when a line arrives; the attack ends with the input.
	if _, err := input.ReadString('\n'); err != nil {
		os.Exit(2)
	}
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, input)
		end()
	}()
	clientAttacks[at.Attack](ctx, a)
	a.clients.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(a.report); err != nil {
		os.Exit(2)
	}
	os.Exit(0)
}

// attackers are the clients of one attack, in a network namespace of their own.
type attackers struct {
	target
	clients sync.WaitGroup
	lock    sync.Mutex
	dialed  int
	report  report
}

// dial connects from the next of the attackers' addresses.
func (a *attackers) dial(ctx context.Context, address string) (*net.TCPConn, error) {
	a.lock.Lock()
	a.dialed++
	from := net.ParseIP(fmt.Sprint(attackerNetwork, 2+a.dialed%attackerAddresses))
	a.lock.Unlock()
	dialer := &net.Dialer{Timeout: 5 * time.Second, LocalAddr: &net.TCPAddr{IP: from}}
	c, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

// connector opens a connection to the Gateway.
type connector func(context.Context, *attackers) (net.Conn, error)

func plain(ctx context.Context, a *attackers) (net.Conn, error) { return a.dial(ctx, a.Gateway+":80") }

// secure speaks HTTP/1.1 over TLS. Whom it talks to does not matter to an attacker.
func secure(ctx context.Context, a *attackers) (net.Conn, error) {
	return a.dialTLS(ctx, rotatingHost, "http/1.1")
}

func (a *attackers) dialTLS(ctx context.Context, host, protocol string) (net.Conn, error) {
	raw, err := a.dial(ctx, a.Gateway+":443")
	if err != nil {
		return nil, err
	}
	_ = raw.SetDeadline(time.Now().Add(5 * time.Second))
	c := tls.Client(raw, &tls.Config{ServerName: host, InsecureSkipVerify: true, NextProtos: []string{protocol}})
	if err := c.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	_ = raw.SetDeadline(time.Time{})
	return c, nil
}

// tcpOf is what lies below TLS, if there is any.
func tcpOf(c net.Conn) *net.TCPConn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return c.(*net.TCPConn)
}

// exchange sends one request on a connection of its own and returns what comes.
func (a *attackers) exchange(ctx context.Context, address, request string) (status int, body string, err error) {
	c, err := a.dial(ctx, address)
	if err != nil {
		return 0, "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		return 0, "", err
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, "", err
	}
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text), nil
}

// expect reports an answer to a request on a plain port that is not as it has to be, and one that does not come. What begins when the attack ends is nobody's.
func (a *attackers) expect(ctx context.Context, request, name string, good func(status int, body string) bool) {
	status, body, err := a.exchange(ctx, a.Gateway+":80", request)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		a.problem("%s: %v", name, err)
	case !good(status, body):
		a.problem("%s: status %d, body %.80q", name, status, body)
	}
}

// ask returns the status of an answer; 0 if none comes.
func (a *attackers) ask(ctx context.Context, address, request string) int {
	status, _, _ := a.exchange(ctx, address, request)
	return status
}

// wait holds the connection until the gateway closes it or the attack ends.
func (a *attackers) wait(ctx context.Context, c net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	_, _ = io.Copy(io.Discard, c)
}

// inTurn does something at a pace with one text after the other, again and again.
func (a *attackers) inTurn(ctx context.Context, pause time.Duration, texts []string, do func(string)) {
	var next atomic.Int64
	a.every(ctx, pause, func() { do(texts[int(next.Add(1)-1)%len(texts)]) })
}

func (a *attackers) sent() {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.report.Sent++
}

func (a *attackers) problem(format string, args ...any) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if len(a.report.Problems) < 20 {
		a.report.Problems = append(a.report.Problems, fmt.Sprintf(format, args...))
	}
}

// every does something at a pace until the attack ends, whatever becomes of the ones before.
func (a *attackers) every(ctx context.Context, pause time.Duration, do func()) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			a.sent()
			a.clients.Go(do)
		}
	}
}

// held keeps so many clients busy at once; one that ends is followed by another.
func (a *attackers) held(ctx context.Context, clients int, do func()) {
	for range clients {
		a.clients.Go(func() {
			for ctx.Err() == nil {
				a.sent()
				do()
				pause(ctx, 200*time.Millisecond)
			}
		})
	}
}

// pause waits, or returns early when the attack ends.
func pause(ctx context.Context, time_ time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time_):
	}
}

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
