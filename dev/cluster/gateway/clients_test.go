//go:build faults

package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shellac.dev/cluster/internal/usage"
)

const (
	store     = "store.example.com"
	largeBody = 20 * mebibyte
	pageBody  = mebibyte
)

// small has pods with a limit of memory.
const small = `apiVersion: gateway.varnish-software.com/v1alpha1
kind: GatewayClassParameters
metadata: {name: MY-NAMESPACE}
spec:
  resources: {limits: {memory: 512Mi}}
`

// newStore has a pod with a limit of memory before a backend of tiny objects and pages of a mebibyte that are cached, and of large objects
// that are not. It counts what is fetched.
func newStore(t *testing.T) (*site, *atomic.Int64) {
	s := newSite(t, nil, small)
	fetched := &atomic.Int64{}
	port := s.listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		if strings.HasPrefix(r.URL.Path, "/tiny/") {
			w.Header().Set("Cache-Control", "max-age=3600")
			fmt.Fprint(w, r.URL.Path)
			return
		}
		size, policy := largeBody, "no-store"
		if strings.HasPrefix(r.URL.Path, "/page/") {
			size, policy = pageBody, "max-age=3600"
		}
		w.Header().Set("Cache-Control", policy)
		w.Header().Set("Content-Length", fmt.Sprint(size))
		piece := make([]byte, mebibyte/4)
		for range size / len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}))
	s.apply(service("store"), slice("store-1", "store", port, nodeAddress), routeTo("store", store, "store"), `apiVersion: gateway.varnish-software.com/v1alpha1
kind: VarnishCachePolicy
metadata: {name: store}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: store}
  defaultTTL: 1h
`, s.manifest("gateway.yaml")+parametersRef)
	s.rolledOut(2)
	s.answers(store, "/tiny/first", http.StatusOK, 10*time.Second)
	return s, fetched
}

// They hold most threads until varnishd ends their connections, after 2.5 s while threads are scarce; whoever waits meanwhile is served then.
func TestClientsWhoDoNotReadCostNobodyTheCache(t *testing.T) {
	s, _ := newStore(t)
	before := s.gatewayProcesses("varnishd")
	var held []*connection
	for n := range 200 {
		c, err := dial(s.address+":80", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "GET /large/%d HTTP/1.1\r\nHost: %s\r\n\r\n", n, store); err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	time.Sleep(75 * time.Second)
	for _, c := range held {
		_ = c.Close()
	}
	s.answers(store, "/tiny/first", http.StatusOK, 10*time.Second)
	s.heldItsLimit("200 clients who do not read, for 75 s", before)
}

// Their number is bounded by what each takes, which docs/kubernetes.md says. The first of them have all threads of varnishd at work for
// the first time, whose memory is counted elsewhere.
func TestClientsWhoSayNothingTakeLittle(t *testing.T) {
	const (
		some, many = 1000, 3000
		mostEach   = 4096
	)
	s, _ := newStore(t)
	varnishd := s.gatewayProcesses("varnishd")
	first := s.peakWith(some, varnishd[0])
	each := (s.peakWith(many, varnishd[0]) - first) / (many - some)
	if each > mostEach {
		t.Errorf("%d bytes for each connection", each)
	}
	fmt.Printf("measured: a connection on which nothing is asked: %.1f KiB\n", float64(each)/1024)
	s.heldItsLimit("clients who say nothing", varnishd)
}

// peakWith is the most memory that a container had, in bytes, after so many clients were there at once and left.
func (s *site) peakWith(clients int, process usage.Process) int64 {
	s.Helper()
	// varnishd lets those who say nothing go then.
	const idle = 5 * time.Second
	began := time.Now()
	held := make([]*connection, clients)
	for n := range held {
		c, err := dial(s.address+":80", nil)
		if err != nil {
			s.Fatal(err)
		}
		held[n] = c
	}
	time.Sleep(time.Second)
	if took := time.Since(began); took > idle {
		s.Fatalf("this run says nothing: %d clients took %s to come", clients, took)
	}
	for _, c := range held {
		_ = c.Close()
	}
	time.Sleep(time.Second)
	memory, err := process.Memory()
	if err != nil {
		s.Fatal(err)
	}
	return memory.Peak
}
