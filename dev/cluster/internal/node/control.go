package node

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"shellac.dev/cluster/internal/layout"
)

// serve answers on the node's control socket: GET /components, POST /components/NAME/{start,stop}.
func (s *supervisor) serve() error {
	_ = os.Remove(s.node.Control())
	listener, err := net.Listen("unix", s.node.Control())
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /components", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.states())
	})
	mux.HandleFunc("POST /components/{name}/stop", s.command(func(c *component) error {
		s.stop(c)
		return nil
	}))
	mux.HandleFunc("POST /components/{name}/start", s.command(s.start))
	return http.Serve(listener, mux)
}

func (s *supervisor) states() []ComponentState {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make([]ComponentState, 0, len(s.components))
	for _, c := range s.components {
		states = append(states, c.state)
	}
	return states
}

func (s *supervisor) command(act func(*component) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, c := range s.components {
			if c.Name == r.PathValue("name") {
				if err := act(c); err != nil {
					http.Error(w, err.Error(), http.StatusInternalServerError)
				}
				return
			}
		}
		http.Error(w, "no such component: "+r.PathValue("name"), http.StatusNotFound)
	}
}

// Control talks to the supervisor of a running node.
type Control struct {
	node   layout.Node
	client *http.Client
}

// ControlOf is the control of a node.
func ControlOf(n layout.Node) *Control {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", n.Control())
	}
	return &Control{node: n, client: &http.Client{
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true},
		Timeout:   2 * stopPatience,
	}}
}

// Components are the states of the node's components.
func (c *Control) Components() ([]ComponentState, error) {
	response, err := c.client.Get("http://node/components")
	if err != nil {
		return nil, fmt.Errorf("node %s does not answer: %w", c.node.Name(), err)
	}
	defer response.Body.Close()
	var states []ComponentState
	if err := json.NewDecoder(response.Body).Decode(&states); err != nil {
		return nil, err
	}
	return states, nil
}

// Stop ends a component until Start is called.
func (c *Control) Stop(component string) error { return c.post(component, "stop") }

// Start starts a component that was stopped.
func (c *Control) Start(component string) error { return c.post(component, "start") }

func (c *Control) post(component, verb string) error {
	response, err := c.client.Post("http://node/components/"+component+"/"+verb, "", nil)
	if err != nil {
		return fmt.Errorf("node %s does not answer: %w", c.node.Name(), err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		message, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("%s", strings.TrimSpace(string(message)))
	}
	return nil
}

// probe returns a function that tells whether the URL answers 200 or the socket accepts.
func probe(target string) func() bool {
	switch {
	case target == "":
		return func() bool { return true }
	case strings.HasPrefix(target, "/"):
		return func() bool {
			conn, err := net.DialTimeout("unix", target, time.Second)
			if err != nil {
				return false
			}
			_ = conn.Close()
			return true
		}
	}
	client := &http.Client{
		Timeout: time.Second,
		Transport: &http.Transport{
			DisableKeepAlives: true,
			// Asked over the node's own loopback, by address, for a yes or no.
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		},
	}
	return func() bool {
		response, err := client.Get(target)
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}
}
