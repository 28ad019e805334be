// Package node is one node of a cluster: a process that is the first one of its own PID, mount, network,
// UTS and IPC namespaces and keeps the node's components running in there.
//
// That process is the whole record of the node. When it dies, by command or by accident, the kernel ends
// every process of the node and drops its mounts and its network; what stays is one folder and some cgroups.
package node

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/plan"
)

const (
	restartDelay = 500 * time.Millisecond
	stopPatience = 5 * time.Second
)

// Phase is what a component is doing.
type Phase string

const (
	Waiting    Phase = "Waiting"    // for what it needs
	Starting   Phase = "Starting"   // runs, does not answer yet
	Ready      Phase = "Ready"      // answers
	Restarting Phase = "Restarting" // ended by itself
	Stopped    Phase = "Stopped"    // by command
)

// ComponentState is what the supervisor knows of a component.
type ComponentState struct {
	Name     string    `json:"name"`
	Phase    Phase     `json:"phase"`
	PID      int       `json:"pid,omitempty"`
	Restarts int       `json:"restarts"`
	Since    time.Time `json:"since"`
	LastExit string    `json:"lastExit,omitempty"`
}

type component struct {
	plan.Component
	state  ComponentState
	exited chan struct{} // closed when the present process has ended
}

type supervisor struct {
	node layout.Node

	// Guards the components and everything in them. It is also held from fork to bookkeeping, so that
	// the reaper never sees a process id that nobody has written down yet.
	mu         sync.Mutex
	components []*component
}

// Supervise turns this process into the supervisor of the node. It returns only with an error.
func Supervise(n layout.Node) error {
	text, err := os.ReadFile(n.Spec())
	if err != nil {
		return err
	}
	var spec plan.NodeSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return fmt.Errorf("%s: %w", n.Spec(), err)
	}
	if err := enter(n); err != nil {
		return err
	}
	s := &supervisor{node: n}
	for _, c := range spec.Components {
		s.components = append(s.components, &component{
			Component: c,
			state:     ComponentState{Name: c.Name, Phase: Waiting, Since: time.Now()},
		})
	}
	go s.reap()
	for _, c := range s.components {
		go s.bringUp(c)
	}
	return s.serve()
}

// bringUp waits for what the component needs, starts it, and waits until it answers.
func (s *supervisor) bringUp(c *component) {
	for !s.allReady(c.After) {
		time.Sleep(20 * time.Millisecond)
	}
	if err := s.start(c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
}

func (s *supervisor) allReady(names []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.components {
		if slices.Contains(names, c.Name) && c.state.Phase != Ready {
			return false
		}
	}
	return true
}

func (s *supervisor) start(c *component) error {
	log, err := os.OpenFile(s.node.Log(c.Name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()

	s.mu.Lock()
	defer s.mu.Unlock()
	if c.state.PID != 0 {
		return nil
	}
	pid, err := syscall.ForkExec(c.Args[0], c.Args, &syscall.ProcAttr{
		Dir:   "/",
		Env:   c.Env,
		Files: []uintptr{null.Fd(), log.Fd(), log.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		s.enterPhase(c, Restarting)
		c.state.LastExit = err.Error()
		return fmt.Errorf("cannot start %s: %w", c.Name, err)
	}
	c.state.PID = pid
	c.exited = make(chan struct{})
	s.enterPhase(c, Starting)
	go s.awaitReady(c, pid)
	return nil
}

// awaitReady turns Starting into Ready, for as long as it is about the same process.
func (s *supervisor) awaitReady(c *component, pid int) {
	answers := probe(c.Ready)
	for {
		ok := answers()
		s.mu.Lock()
		if c.state.PID != pid || c.state.Phase != Starting {
			s.mu.Unlock()
			return
		}
		if ok {
			s.enterPhase(c, Ready)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		time.Sleep(30 * time.Millisecond)
	}
}

func (s *supervisor) enterPhase(c *component, phase Phase) {
	c.state.Phase = phase
	c.state.Since = time.Now()
}

// stop ends a component and keeps it ended until start is called.
func (s *supervisor) stop(c *component) {
	s.mu.Lock()
	pid, exited := c.state.PID, c.exited
	s.enterPhase(c, Stopped)
	s.mu.Unlock()
	if pid == 0 {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
	select {
	case <-exited:
	case <-time.After(stopPatience):
		_ = syscall.Kill(pid, syscall.SIGKILL)
		<-exited
	}
}

// reap takes note of every process of the node that ends, among them the orphans that containerd's shims
// and the pods leave to the first process of the namespace.
func (s *supervisor) reap() {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	for range children {
		for {
			var status syscall.WaitStatus
			s.mu.Lock()
			pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
			if err == nil && pid > 0 {
				s.noteExit(pid, status)
			}
			s.mu.Unlock()
			if err != nil || pid <= 0 {
				break
			}
		}
	}
}

func (s *supervisor) noteExit(pid int, status syscall.WaitStatus) {
	for _, c := range s.components {
		if c.state.PID != pid {
			continue
		}
		c.state.PID = 0
		c.state.LastExit = describe(status)
		close(c.exited)
		if c.state.Phase == Stopped {
			return
		}
		s.enterPhase(c, Restarting)
		c.state.Restarts++
		fmt.Fprintf(os.Stderr, "%s %s ended (%s), starting it again\n",
			time.Now().Format(time.RFC3339), c.Name, c.state.LastExit)
		time.AfterFunc(restartDelay, func() {
			s.mu.Lock()
			stopped := c.state.Phase == Stopped
			s.mu.Unlock()
			if !stopped {
				if err := s.start(c); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		})
	}
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal " + status.Signal().String()
	}
	return fmt.Sprintf("exit code %d", status.ExitStatus())
}
