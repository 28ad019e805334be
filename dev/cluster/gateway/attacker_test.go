//go:build hostile

package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	attackVariable = "SHELLAC_ATTACK"
	// The attackers' network, beside those of the cluster.
	attackerNetwork   = "172.29.77."
	attackerLink      = "attackers"
	attackerAddresses = 16
	leaveWithin       = 2 * time.Second
	arriveWithin      = 3 * time.Second
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
		weigh("honest", honestWeight)
		os.Exit(m.Run())
	}
	weigh("attackers", attackerWeight)
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

// to connects to an address that is not the Gateway's.
func to(address string) connector {
	return func(ctx context.Context, a *attackers) (net.Conn, error) { return a.dial(ctx, address) }
}

// door is a way in, and the host by which the neighbour's backends are reached there.
type door struct {
	name    string
	connect connector
	host    string
}

// doors are both ways to a backend of the neighbour: over HTTPS all of them are paths of one host.
func doors(host string) []door {
	return []door{{"HTTP", plain, host}, {"HTTPS", secure, rotatingHost}}
}

// exchange sends one request on a connection of its own and returns what comes.
func (a *attackers) exchange(ctx context.Context, connect connector, request string) (status int, body string, err error) {
	c, err := connect(ctx, a)
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

// expect reports an answer to a request that is not as it has to be, and one that does not come.
func (a *attackers) expect(ctx context.Context, d door, request, name string, good verdict) {
	status, body, err := a.exchange(ctx, d.connect, request)
	a.judge(ctx, name+" over "+d.name, answered{status, body, err}, good)
}

// verdict tells whether an answer is as it has to be.
type verdict func(status int, body string) bool

// answered is what came of a request.
type answered struct {
	status int
	body   string
	err    error
}

// judge reports what is not as it has to be. What begins when the attack ends is nobody's.
func (a *attackers) judge(ctx context.Context, name string, got answered, good verdict) {
	switch {
	case ctx.Err() != nil:
	case got.err != nil:
		a.problem("%s: %v", name, got.err)
	case !good(got.status, got.body):
		a.problem("%s: status %d, body %.80q", name, got.status, got.body)
	}
}

// oneOf accepts any answer with one of these.
func oneOf(want ...int) verdict {
	return func(status int, _ string) bool { return slices.Contains(want, status) }
}

// ask returns the status of an answer; 0 if none comes.
func (a *attackers) ask(ctx context.Context, connect connector, request string) int {
	status, _, _ := a.exchange(ctx, connect, request)
	return status
}

// wait holds the connection until the gateway closes it or the attack ends. Attackers leave at a pace, too: thousands of connections that end in the same
// millisecond take this machine more than a core, whoever serves them.
func (a *attackers) wait(ctx context.Context, c net.Conn) {
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(rand.N(leaveWithin), func() { _ = c.Close() }) })
	defer stop()
	_, _ = io.Copy(io.Discard, c)
}

// inTurn does one thing after the other at a pace, again and again.
func (a *attackers) inTurn(ctx context.Context, pause time.Duration, things []func()) {
	var next atomic.Int64
	a.every(ctx, pause, func() { things[int(next.Add(1)-1)%len(things)]() })
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

// held keeps so many clients busy at once; one that ends is followed by another. They arrive at a pace, as they leave.
func (a *attackers) held(ctx context.Context, clients int, do func()) {
	for range clients {
		a.clients.Go(func() {
			pause(ctx, rand.N(arriveWithin))
			for ctx.Err() == nil {
				a.sent()
				do()
				pause(ctx, 200*time.Millisecond)
			}
		})
	}
}

// lag keeps clients that are let go together from coming back together: a hundred handshakes at once take HAProxy a fifth of a second, whatever follows.
func (a *attackers) lag(ctx context.Context) {
	pause(ctx, rand.N(2*time.Second))
}

// pause waits, or returns early when the attack ends.
func pause(ctx context.Context, time_ time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time_):
	}
}
