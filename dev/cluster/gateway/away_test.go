//go:build faults

package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// Pods serve what they have, and learn of what came meanwhile when the API server is back.
//
// The controller manager goes with it, as it does elsewhere: it holds a Lease there, and ends when it cannot renew it. Here it has none. One that
// lives through the outage finds no sign of life of any node when the API server is back, since kubelets could leave none, takes all of
// them for dead, and takes their pods, backends and Gateways, out of every Service. One that starts anew waits for the kubelets first.
func TestAnAPIServerThatIsAwayForAMinuteIsNotNoticed(t *testing.T) {
	a := newAuthority(t)
	s := newSite(t, nil, "steady.yaml", a.good(steady).secret("steady"))
	nodes := len(s.nodes())
	s.apply(s.secured("steady"))
	s.greets(a, steady, 10*time.Second)
	s.answers(steady, "/", http.StatusOK, 10*time.Second)
	plain, secure := s.startLoad(nil), s.startLoad(a.client(steady))
	away := []string{"kube-controller-manager", "kube-apiserver"}
	for _, component := range away {
		s.component("stop", component)
	}
	start := sync.OnceFunc(func() {
		for _, component := range slices.Backward(away) {
			s.component("start", component)
		}
	})
	defer start()
	time.Sleep(time.Minute)
	if _, err := s.core.Discovery().ServerVersion(); err == nil {
		t.Error("the API server was not away")
	}
	start()
	s.eventually("the API server's return", 30*time.Second, func() (bool, string) {
		_, err := s.core.Discovery().ServerVersion()
		return err == nil, fmt.Sprint(err)
	})
	back := time.Now()
	s.apply(route("later", "later.example.com", anyPath))
	s.hasAPIServer(nodes)
	fmt.Printf("measured: API server away for 60 s: its Service works on every node %d ms after its return\n", time.Since(back).Milliseconds())
	back = time.Now()
	s.answers("later.example.com", "/", http.StatusOK, 20*time.Second)
	fmt.Printf("measured: API server away for 60 s: a new route served %d ms after that\n", time.Since(back).Milliseconds())
	// What controllers make of the time without a sign of life would show only after a while.
	time.Sleep(10 * time.Second)
	plain.lostNothing("API server away for 60 s, over HTTP")
	secure.lostNothing("API server away for 60 s, over HTTPS")
}

// hasAPIServer waits until pods of every node reach the API server. One that is stopped takes its address out of its Service, and
// kube-proxy, which is to put it back, looks for the API server each half a minute by then.
func (s *site) hasAPIServer(nodes int) {
	s.Helper()
	s.eventually("the API server's Service on every node", 2*time.Minute, func() (bool, string) {
		for node := range nodes {
			out, err := s.onNode(node+1, "curl", "--silent", "--insecure", "--max-time", "1", "https://10.96.0.1/version")
			if err != nil {
				return false, fmt.Sprintf("node %d: %v %s", node+1, err, out)
			}
		}
		return true, ""
	})
}
