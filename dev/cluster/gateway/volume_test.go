//go:build faults

package gateway

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// each asks for every number below a count, several at a time, each on a connection of its own.
func (s *site) each(count int, ask func(c *connection, n int) error) {
	s.Helper()
	const clients = 16
	var next atomic.Int64
	var asking sync.WaitGroup
	for range clients {
		asking.Go(func() {
			c, err := dial(s.address+":80", nil)
			if err != nil {
				s.Error(err)
				return
			}
			defer c.Close()
			for n := int(next.Add(1)) - 1; n < count && !s.Failed(); n = int(next.Add(1)) - 1 {
				_ = c.SetDeadline(time.Now().Add(loadPatience))
				if err := ask(c, n); err != nil {
					s.Errorf("request %d: %v", n, err)
					return
				}
			}
		})
	}
	asking.Wait()
	if s.Failed() {
		s.history()
		s.FailNow()
	}
}

func isOK(response *http.Response, _ []byte) error {
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}

// The limit of memory is a promise: storage full of what costs the most beside its bytes, then all that passes through at once.
func TestHalfAMillionTinyObjectsAndThenLargeOnesFitIntoTheLimit(t *testing.T) {
	s, fetched := newStore(t)
	before := s.gatewayProcesses("varnishd")
	const tiny = 500_000
	start := time.Now()
	s.each(tiny, func(c *connection, n int) error {
		_, err := c.exchange(store, fmt.Sprintf("/tiny/%d", n), true, isOK)
		return err
	})
	fmt.Printf("measured: %d tiny objects in %.0f s\n", tiny, time.Since(start).Seconds())
	if got := fetched.Load(); got < tiny {
		t.Errorf("%d were fetched", got)
	}
	asked := fetched.Load()
	for n := tiny - 1000; n < tiny; n++ {
		if got := s.status(store, fmt.Sprintf("/tiny/%d", n)); got != http.StatusOK {
			t.Fatalf("%d for an object of the cache", got)
		}
	}
	if missed := fetched.Load() - asked; missed > 100 {
		t.Errorf("%d of the last 1,000 objects are not in the cache any more", missed)
	}
	s.hitRatio("tiny", tiny, 100_000, fetched)
	s.downloads(100)
	s.heldItsLimit("half a million tiny objects, then 100 downloads of 20 MB", before)
	s.hitRatio("page", 400, 4_000, fetched)
	s.heldItsLimit("400 pages of a mebibyte after them", before)
}

// hitRatio prints how many requests for so many objects of a kind the cache answers, where few of them are popular.
func (s *site) hitRatio(kind string, objects, requests int, fetched *atomic.Int64) {
	s.Helper()
	before := fetched.Load()
	s.each(requests, func(c *connection, n int) error {
		_, err := c.exchange(store, fmt.Sprintf("/%s/%d", kind, popular(n, objects)), true, isOK)
		return err
	})
	fmt.Printf("measured: hit ratio of %d requests for %d objects, /%s/: %.3f\n",
		requests, objects, kind, 1-float64(fetched.Load()-before)/float64(requests))
}

// popular draws a number below a count by Zipf's law, nearly: the logarithm of the rank is uniform. The nth draw is the same in every run.
func popular(n, count int) int {
	uniform := rand.New(rand.NewPCG(uint64(n), 1)).Float64()
	return min(int(math.Pow(float64(count), uniform)), count) - 1
}

// downloads reads large bodies, all at a time: who has half of his waits until the others have an answer, or for a while. The pod has
// threads for all of them, but where each of its two pools has half, one of them may be short of some.
func (s *site) downloads(count int) {
	s.Helper()
	client := &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	var done, answered sync.WaitGroup
	all := make(chan struct{})
	var atOnce, most atomic.Int64
	answered.Add(count)
	go func() {
		answered.Wait()
		close(all)
	}()
	start := time.Now()
	for n := range count {
		done.Go(func() {
			begun := sync.OnceFunc(func() {
				most.Store(max(most.Load(), atOnce.Add(1)))
				answered.Done()
			})
			defer begun()
			err := s.download(client, fmt.Sprintf("/large/%d", n), func() {
				begun()
				select {
				case <-all:
				case <-time.After(10*time.Second - time.Since(start)):
				}
			})
			atOnce.Add(-1)
			if err != nil {
				s.Errorf("download %d: %v", n, err)
			}
		})
	}
	done.Wait()
	fmt.Printf("measured: %d downloads in %.1f s, %d at once\n", count, time.Since(start).Seconds(), most.Load())
}

// download reads a large body, and does something when it has read the first half.
func (s *site) download(client *http.Client, path string, halfway func()) error {
	request, err := http.NewRequest(http.MethodGet, "http://"+s.address+path, nil)
	if err != nil {
		return err
	}
	request.Host = store
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	first, err := io.CopyN(io.Discard, response.Body, largeBody/2)
	if err != nil {
		return fmt.Errorf("%s, %d bytes: %w", response.Status, first, err)
	}
	halfway()
	second, err := io.Copy(io.Discard, response.Body)
	if err != nil || first+second != largeBody || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s, %d bytes: %w", response.Status, first+second, err)
	}
	return nil
}

// metric is a number that the Gateway's pod counts.
func (s *site) metric(name string) (value float64) {
	s.Helper()
	lines := s.metrics(name + " ")
	if len(lines) != 1 {
		s.Fatalf("%s among the metrics: %v", name, lines)
	}
	if _, err := fmt.Sscan(strings.TrimPrefix(lines[0], name), &value); err != nil {
		s.Fatal(err)
	}
	return value
}

const (
	changedRoutes = 300
	volumeRounds  = 4
	// What the last of the rounds may add to a pod: what is left behind by the ones before was taken away.
	mostGrowth = 2 * mebibyte
)

// A round gives every route another host, one after the other, and then asks them all for 100,000 objects.
func TestAPodStaysSmallAfterManyRequestsAndReloads(t *testing.T) {
	s := newSite(t, nil)
	port := s.listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host+r.URL.Path) }))
	s.apply(service("own"), slice("own-1", "own", port, nodeAddress))
	var before, last int64
	for round := range volumeRounds {
		host := func(n int) string { return fmt.Sprintf("r%d-%d.example.com", n%changedRoutes, round) }
		s.reloads(host)
		s.each(100_000, func(c *connection, n int) error {
			path := fmt.Sprintf("/%d", n)
			_, err := c.exchange(host(n), path, true, func(response *http.Response, body []byte) error {
				if string(body) != host(n)+path {
					return fmt.Errorf("%s, the body %q for %s", response.Status, body, host(n)+path)
				}
				return isOK(response, body)
			})
			return err
		})
		chaperone, whole := s.memory()
		if chaperone > mostOfChaperone || whole > mostOfPod {
			t.Errorf("the chaperone has %d MiB, the pod %d MiB", chaperone/mebibyte, whole/mebibyte)
		}
		fmt.Printf("measured: after %d00,000 requests and %d reloads: chaperone %d MiB, pod with %d routes %d MiB of memory (PSS)\n",
			round+1, (round+1)*changedRoutes, chaperone/mebibyte, changedRoutes, whole/mebibyte)
		before, last = last, whole
	}
	if last > before+mostGrowth {
		t.Errorf("the pod had %.1f MiB and has %.1f after the last round", float64(before)/mebibyte, float64(last)/mebibyte)
	}
}

// reloads gives each route another host, one after the other, and sees that the pod takes every one.
func (s *site) reloads(host func(n int) string) {
	s.Helper()
	const reloads = "chaperone_ghost_reloads_total"
	before := s.metric(reloads)
	for n := range changedRoutes {
		s.apply(routeTo(fmt.Sprintf("r%d", n), host(n), "own"))
		s.answers(host(n), "/", http.StatusOK, 10*time.Second)
	}
	if got := s.metric(reloads) - before; got < changedRoutes {
		s.Errorf("%.0f reloads, %d are wanted", got, changedRoutes)
	}
}
