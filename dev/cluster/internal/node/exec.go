package node

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// InNetwork calls start on a thread that has joined the node's network namespace: a process or socket made
// in there belongs to the node's network, while files are those of the host. The thread is not used again.
func (p Process) InNetwork(start func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		result <- p.join(start)
	}()
	return <-result
}

func (p Process) join(start func() error) error {
	fd, err := unix.Open(p.NetNS(), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("node %s is gone: %w", p.Node.Name(), err)
	}
	defer unix.Close(fd)
	if err := unix.Setns(fd, unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("cannot enter the network of node %s: %w", p.Node.Name(), err)
	}
	return start()
}

// Run runs a command in the node's network and returns what it printed.
func (p Process) Run(cmd *exec.Cmd) ([]byte, error) {
	var output []byte
	err := p.InNetwork(func() error {
		var err error
		output, err = cmd.CombinedOutput()
		return err
	})
	return output, err
}
