//go:build hostile

package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// mostHAProxies is what the part of 512 MiB that HAProxy gets has room for: it has 32 MiB, and each process takes 12 at least.
const mostHAProxies = 2

// A certificate that changes each second. A WebSocket of the honest tenant stays open meanwhile, and HAProxy's processes do not pile up.
func rotatingCertificates(a *arena) func() {
	// Made beforehand: a key takes longer to make than all else of this.
	var pairs []pair
	for range 3 {
		pairs = append(pairs, a.authority.good(rotatingHost))
	}
	held := a.holdWebSocket()
	rotations, most := 0, 0
	end := eachSecond(func() {
		a.apply(pairs[rotations%len(pairs)].secret("rotating"))
		rotations++
		most = max(most, len(a.haproxies()))
	})
	return func() {
		end()
		a.greets(a.authority, rotatingHost, 40*time.Second)
		beats, err := held()
		fmt.Printf("measured: certificates: %d rotations, at most %d processes of HAProxy, a WebSocket with %d messages\n", rotations, most, beats)
		if err != nil || beats == 0 {
			a.Errorf("the WebSocket ended after %d messages: %v", beats, err)
		}
		if most > mostHAProxies {
			a.Errorf("%d processes of HAProxy", most)
		}
	}
}

// holdWebSocket opens a WebSocket to the honest tenant's backend over HTTPS, and sends a message five times a second until it is told to end: it tells how many came back.
func (a *arena) holdWebSocket() func() (int, error) {
	a.Helper()
	c, err := dial(a.address+":443", a.authority.client(steady))
	if err != nil {
		a.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(loadPatience))
	fmt.Fprintf(c, "GET /socket HTTP/1.1\r\nHost: %s\r\n%s\r\n", steady, webSocket)
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		a.Fatalf("no WebSocket: %v, %v", response, err)
	}
	stop := make(chan struct{})
	ended := make(chan error, 1)
	var beats atomic.Int64
	go func() {
		defer c.Close()
		for {
			select {
			case <-stop:
				ended <- nil
				return
			case <-time.After(200 * time.Millisecond):
			}
			if err := c.beat(beats.Load()); err != nil {
				ended <- err
				return
			}
			beats.Add(1)
		}
	}()
	return func() (int, error) {
		close(stop)
		return int(beats.Load()), <-ended
	}
}

// beat sends a message and waits until it is back.
func (c *connection) beat(n int64) error {
	_ = c.SetDeadline(time.Now().Add(loadPatience))
	message := fmt.Appendf(nil, "beat %06d\n", n)
	if _, err := c.Write(message); err != nil {
		return err
	}
	back := make([]byte, len(message))
	if _, err := io.ReadFull(c.reader, back); err != nil {
		return err
	}
	if !bytes.Equal(back, message) {
		return fmt.Errorf("%q came back for %q", back, message)
	}
	return nil
}

// Who may write ConfigMaps in the Gateway's namespace puts a haproxy.cfg of his own there, five times a second. The operator restores it; no pod runs it, or the honest load would have its
// answers and HAProxy another process.
func foreignConfiguration(a *arena) func() {
	const key = "haproxy.cfg"
	maps := a.core.CoreV1().ConfigMaps(a.namespace)
	now := func() string {
		found, err := maps.Get(a.Context(), "edge-vcl", metav1.GetOptions{})
		if err != nil {
			a.Fatal(err)
		}
		return found.Data[key]
	}
	good := now()
	foreign := strings.ReplaceAll(good, "default_backend varnish", "http-request return status 200 content-type text/plain string foreign")
	if good == "" || foreign == good {
		a.Fatalf("%s has no backend to replace:\n%s", key, good)
	}
	patch, err := json.Marshal(map[string]any{"data": map[string]string{key: foreign}})
	if err != nil {
		a.Fatal(err)
	}
	written, restored := 0, 0
	end := repeatedly(200*time.Millisecond, func() {
		if now() == good {
			restored++
		}
		if _, err := maps.Patch(a.Context(), "edge-vcl", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			a.Error(err)
		}
		written++
	})
	return func() {
		end()
		a.eventually("the operator's "+key, 20*time.Second, func() (bool, string) { return now() == good, now() })
		fmt.Printf("measured: foreign-haproxy-cfg: written %d times, restored %d times meanwhile, reported by %d Events\n", written, restored, a.events(key+" in the ConfigMap is not used"))
		if restored < 2 {
			a.Errorf("restored %d times while it was written %d times", restored, written)
		}
	}
}

// events counts the Events of the namespace that have some words.
func (s *site) events(words string) (found int) {
	s.Helper()
	list, err := s.core.CoreV1().Events(s.namespace).List(s.Context(), metav1.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	for _, event := range list.Items {
		if strings.Contains(event.Message, words) {
			found++
		}
	}
	return found
}

// One chain of 900 KB would fill a Secret. The certificate of the honest tenant changes meanwhile, and is served.
func hugeChain(a *arena) func() {
	whole := a.authority.good("huge.example.com")
	whole.certificate = bytes.Repeat(whole.certificate, 900_000/len(whole.certificate))
	a.neighbour.apply(whole.secret("huge"), listenerSet("huge-chain", a.namespace,
		"  - {name: huge, hostname: huge.example.com, protocol: HTTPS, port: 443, tls: {certificateRefs: [{name: huge}]}}\n"))
	a.apply(a.authority.good(rotatingHost).secret("rotating"))
	return func() {
		a.greets(a.authority, rotatingHost, 10*time.Second)
		a.neighbour.remove(gatewayAPI, "ListenerSet", "huge-chain")
		a.neighbour.remove("v1", "Secret", "huge")
	}
}

// listenerSet adds listeners of the neighbour to the Gateway.
func listenerSet(name, gateway, listeners string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: ListenerSet\nmetadata: {name: %s}\nspec:\n  parentRef: {name: edge, namespace: %s}\n  listeners:\n%s",
		gatewayAPI, name, gateway, listeners)
}

// More ports than a namespace may add.
func manyPorts(a *arena) func() {
	var listeners strings.Builder
	for n := range 60 {
		fmt.Fprintf(&listeners, "  - {name: p%d, protocol: HTTP, port: %d}\n", n, 9000+n)
	}
	a.neighbour.apply(listenerSet("many-ports", a.namespace, listeners.String()))
	return func() { a.neighbour.remove(gatewayAPI, "ListenerSet", "many-ports") }
}
