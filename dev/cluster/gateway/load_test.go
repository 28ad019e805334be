//go:build integration || faults || hostile

package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	steady       = "steady.example.com"
	onKept       = "on a kept connection: "
	loadRate     = 200
	loadLeast    = 2 * time.Second
	loadPatience = 5 * time.Second
	// Less than a server keeps a connection for: nobody knows whether a request or the end came first.
	loadIdle       = 2 * time.Second
	loadMostBehind = time.Second
	loadSlow       = 50 * time.Millisecond
)

// slowRequest is one that took long, and when it was sent.
type slowRequest struct{ sent, took time.Duration }

// load asks the route of steady.yaml, so many times a second, whatever becomes of the requests before: who waits for an answer before
// he asks again asks little while nothing answers. It asks once: any reset, refusal, timeout, wrong status, backend or header is a
// failed request. Every second request has a connection of its own; the others keep theirs as long as they may.
type load struct {
	site    *site
	address string
	tls     *tls.Config
	end     context.CancelFunc
	began   time.Time
	asking  sync.WaitGroup

	lock        sync.Mutex
	idle        []*connection
	asked       int
	failures    map[string]int
	took        []time.Duration
	slow        []slowRequest
	first, last time.Time
	void        string
}

// startLoad asks over plain HTTP, or over TLS where a configuration is given.
func (s *site) startLoad(config *tls.Config) *load {
	s.Helper()
	s.forget(misled{net.ParseIP(s.address)})
	ctx, end := context.WithCancel(s.Context())
	l := &load{site: s, address: s.address + ":80", tls: config, end: end, began: time.Now(), failures: map[string]int{}}
	if config != nil {
		l.address = s.address + ":443"
	}
	l.asking.Go(func() { l.pace(ctx) })
	return l
}

func (l *load) pace(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		due := l.began.Add(time.Duration(n) * time.Second / loadRate)
		time.Sleep(time.Until(due))
		if behind := time.Since(due); behind > loadMostBehind {
			l.voided(fmt.Sprintf("the client was %s behind", behind))
		}
		l.asking.Go(func() {
			start := time.Now()
			err := l.ask(n)
			l.tell(err, start)
		})
	}
}

func (l *load) voided(why string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.void = why
}

func (l *load) tell(err error, start time.Time) {
	took := time.Since(start)
	if isOurs(err) {
		l.voided(err.Error())
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	l.asked++
	l.took = append(l.took, took)
	if took > loadSlow {
		l.slow = append(l.slow, slowRequest{start.Sub(l.began), took})
	}
	if err == nil {
		return
	}
	l.failures[brief(err)]++
	l.last = time.Now()
	if l.first.IsZero() {
		l.first = l.last
	}
}

// isOurs tells what this machine, and not the gateway, is to blame for.
func isOurs(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS)
}

// brief leaves out what differs from one failure to the next.
func brief(err error) string {
	kept := ""
	if strings.HasPrefix(err.Error(), onKept) {
		kept = onKept
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		err = fmt.Errorf("%s%s: %w", kept, operation.Op, operation.Err)
	}
	return err.Error()
}

func (l *load) ask(n int) error {
	keep := n%2 == 0
	c, err := l.connection(keep)
	if err != nil {
		return err
	}
	_ = c.SetDeadline(time.Now().Add(loadPatience))
	path := fmt.Sprintf("/%d", n)
	again, err := c.exchange(steady, path, keep, func(response *http.Response, body []byte) error {
		return l.site.isSteady(path, response, body)
	})
	c.used++
	if err != nil && c.used > 1 {
		err = fmt.Errorf(onKept+"%w", err)
	}
	if err != nil || !again {
		_ = c.Close()
		return err
	}
	c.since = time.Now()
	l.lock.Lock()
	defer l.lock.Unlock()
	l.idle = append(l.idle, c)
	return nil
}

// isSteady tells what is wrong with an answer of the route of steady.yaml.
func (s *site) isSteady(path string, response *http.Response, body []byte) error {
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	var echo struct {
		Path, Host, Namespace string
		Headers               map[string][]string
	}
	if err := json.Unmarshal(body, &echo); err != nil {
		return fmt.Errorf("an answer that is none of echo's: %w", err)
	}
	if echo.Path != path || echo.Host != steady || echo.Namespace != s.namespace {
		return errors.New("the wrong backend or request")
	}
	if got := echo.Headers["X-Steady-Request"]; len(got) != 1 || got[0] != s.namespace {
		return fmt.Errorf("the request has X-Steady-Request %q", got)
	}
	if got := response.Header["X-Steady-Response"]; len(got) != 1 || got[0] != s.namespace {
		return fmt.Errorf("the answer has X-Steady-Response %q", got)
	}
	return nil
}

func (l *load) connection(keep bool) (*connection, error) {
	for keep {
		l.lock.Lock()
		if len(l.idle) == 0 {
			l.lock.Unlock()
			break
		}
		// The newest: those that a busy moment has left over run into their end.
		c := l.idle[len(l.idle)-1]
		l.idle = l.idle[:len(l.idle)-1]
		l.lock.Unlock()
		if time.Since(c.since) < loadIdle && !c.isOver() {
			return c, nil
		}
		_ = c.Close()
	}
	return dial(l.address, l.tls)
}

// stop ends the load, and tells how many were asked.
func (l *load) stop() int {
	l.site.Helper()
	l.end()
	l.asking.Wait()
	for _, c := range l.idle {
		_ = c.Close()
	}
	if l.void != "" {
		l.site.Fatalf("this run says nothing: %s", l.void)
	}
	return l.asked
}

// lostNothing ends the load and fails the test if a request has failed.
func (l *load) lostNothing(during string) {
	l.site.Helper()
	time.Sleep(loadLeast - time.Since(l.began))
	asked := l.stop()
	took := time.Since(l.began)
	if len(l.failures) != 0 {
		l.site.Errorf("%s: of %d requests these failed, from %s to %s after the start: %v", during, asked,
			l.first.Sub(l.began).Round(time.Millisecond), l.last.Sub(l.began).Round(time.Millisecond), l.failures)
		l.site.history()
	}
	failed := 0
	for _, count := range l.failures {
		failed += count
	}
	fmt.Printf("measured: %s: %d requests in %.0f s, %d failed\n", during, asked, took.Seconds(), failed)
}

// percentile is the time that so many in a hundred requests stayed within. The load has ended.
func (l *load) percentile(percent int) time.Duration {
	if len(l.took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l.took))
	return sorted[(len(sorted)-1)*percent/100]
}

// slowTimes are the seconds of the load in which requests were slow: how many, and the longest. The load has ended.
func (l *load) slowTimes() string {
	counts, longest := map[int]int{}, map[int]time.Duration{}
	for _, request := range l.slow {
		second := int(request.sent.Seconds())
		counts[second]++
		longest[second] = max(longest[second], request.took)
	}
	var words []string
	for _, second := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("second %d: %d up to %d ms", second, counts[second], longest[second].Milliseconds()))
	}
	return strings.Join(words, ", ")
}

// connection is one to the gateway, with whatever was read of it too early.
type connection struct {
	net.Conn
	raw    *net.TCPConn
	reader *bufio.Reader
	used   int
	since  time.Time
}

func dial(address string, config *tls.Config) (*connection, error) {
	dialed, err := (&net.Dialer{Timeout: loadPatience}).Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: dialed, raw: dialed.(*net.TCPConn)}
	if config != nil {
		_ = dialed.SetDeadline(time.Now().Add(loadPatience))
		secure := tls.Client(dialed, config)
		if err := secure.Handshake(); err != nil {
			_ = dialed.Close()
			return nil, err
		}
		c.Conn = secure
	}
	c.reader = bufio.NewReader(c.Conn)
	return c, nil
}

// isOver tells whether the other side has ended the connection before we asked anything more of it: no client asks then.
func (c *connection) isOver() bool {
	control, err := c.raw.SyscallConn()
	if err != nil {
		return true
	}
	over, waiting := false, false
	err = control.Read(func(descriptor uintptr) bool {
		n, _, err := syscall.Recvfrom(int(descriptor), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		over = n == 0 && err == nil || err != nil && !errors.Is(err, syscall.EAGAIN)
		waiting = n > 0
		return true
	})
	if err != nil || over || !waiting {
		return err != nil || over
	}
	// TLS says more than what is asked for: that it ends, or how to resume.
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err = c.reader.Peek(1)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// exchange asks once, and tells whether the connection may be used again.
func (c *connection) exchange(host, path string, keep bool, check func(*http.Response, []byte) error) (bool, error) {
	closing := ""
	if !keep {
		closing = "Connection: close\r\n"
	}
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, host, closing); err != nil {
		return false, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return false, err
	}
	return keep && !response.Close && !strings.EqualFold(response.Header.Get("Connection"), "close"), check(response, body)
}
