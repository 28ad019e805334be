//go:build integration

package gateway

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"shellac.dev/cluster/internal/layout"
)

// addresses gives the node more of them until the test ends, out of the network of nodes, so that pods of all nodes find the way.
func (s *site) addresses(count int) []string {
	s.Helper()
	loopback, err := netlink.LinkByName("lo")
	if err != nil {
		s.Fatal(err)
	}
	var given []string
	for n := range count {
		address := layout.Cluster{}.Node(layout.MaxNodes + 1 + n).IP()
		more := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(address), Mask: net.CIDRMask(32, 32)}}
		if err := netlink.AddrAdd(loopback, more); err != nil {
			s.Fatal(err)
		}
		s.Cleanup(func() {
			if err := netlink.AddrDel(loopback, more); err != nil {
				s.Error(err)
			}
		})
		given = append(given, address)
	}
	return given
}

// asked is which endpoints have answered; everything that is no answer of one is a failure.
func (s *site) asked(host string, times int) map[string]int {
	s.Helper()
	client := &http.Client{Timeout: loadPatience, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	var lock sync.Mutex
	var asking sync.WaitGroup
	found, failed := map[string]int{}, map[string]int{}
	numbers := make(chan int)
	for range 16 {
		asking.Go(func() {
			for range numbers {
				who, err := whoAnswers(client, s.address, host)
				lock.Lock()
				if err != nil {
					failed[brief(err)]++
				} else {
					found[who]++
				}
				lock.Unlock()
			}
		})
	}
	for n := range times {
		numbers <- n
	}
	close(numbers)
	asking.Wait()
	if len(failed) > 0 {
		s.Errorf("of %d requests to %s these failed: %v", times, host, failed)
	}
	return found
}

func whoAnswers(client *http.Client, address, host string) (string, error) {
	request, err := http.NewRequest(http.MethodGet, "http://"+address+"/", nil)
	if err != nil {
		return "", err
	}
	request.Host = host
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	return string(body), err
}

func TestEveryEndpointOfAServiceWithThreeSlicesIsUsed(t *testing.T) {
	s := newSite(t, nil)
	all := s.addresses(250)
	port := s.listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, _, _ := net.SplitHostPort(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
		fmt.Fprint(w, address)
	}))
	const many = "many.example.com"
	s.apply(service("many"), slice("many-1", "many", port, all[:100]...), slice("many-2", "many", port, all[100:200]...),
		slice("many-3", "many", port, all[200:]...), routeTo("many", many, "many"))
	s.answers(many, "/", http.StatusOK, 10*time.Second)
	s.usesOnly(many, all)

	left := slices.Clone(all[100:200])
	for n := range 10 {
		left[n] = "!" + left[n]
	}
	s.apply(slice("many-2", "many", port, left[:50]...))
	s.usesOnly(many, slices.Concat(all[:100], all[110:150], all[200:]))

	s.remove("discovery.k8s.io/v1", "EndpointSlice", "many-3")
	s.usesOnly(many, slices.Concat(all[:100], all[110:150]))
}

// usesOnly waits until no other endpoint is asked, and then wants each of these to be. No request may fail meanwhile.
func (s *site) usesOnly(host string, want []string) {
	s.Helper()
	isOther := func(address string) bool { return !slices.Contains(want, address) }
	s.eventually("the end of requests to other endpoints", 5*time.Second, func() (bool, string) {
		others := slices.DeleteFunc(slices.Collect(maps.Keys(s.asked(host, 500))), func(address string) bool { return !isOther(address) })
		return len(others) == 0, fmt.Sprint(others)
	})
	found := s.asked(host, 20*len(want))
	for _, address := range want {
		if found[address] == 0 {
			s.Errorf("%s was never asked", address)
		}
		delete(found, address)
	}
	if len(found) > 0 {
		s.Errorf("%v were asked, though they are not to be", found)
	}
}
