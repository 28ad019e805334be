package node

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"shellac.dev/cluster/internal/layout"
)

// Start starts the supervisor of a node in namespaces of its own and returns at once. What it prints goes
// to its log. The caller may exit: the node stays.
func Start(n layout.Node) (Process, error) {
	self, err := os.Executable()
	if err != nil {
		return Process{}, err
	}
	log, err := os.OpenFile(n.Log("supervisor"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return Process{}, err
	}
	defer log.Close()
	cmd := &exec.Cmd{
		Path:   self,
		Args:   Args(n),
		Dir:    "/",
		Stdout: log,
		Stderr: log,
		SysProcAttr: &syscall.SysProcAttr{
			Setsid: true,
			Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
				syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		},
	}
	if err := cmd.Start(); err != nil {
		return Process{}, fmt.Errorf("cannot start node %s: %w", n.Name(), err)
	}
	pid := cmd.Process.Pid
	// Reaped if it dies while we still run; afterwards it is the host's init that does it.
	go func() { _ = cmd.Wait() }()
	return Process{Node: n, PID: pid}, nil
}
