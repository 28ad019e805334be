package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory is what the processes of a container have used together.
type Memory struct {
	// Peak is the most that they ever had, in bytes, with what the kernel keeps of files for them.
	Peak int64
	// Killed counts the processes that the kernel has ended because there was no more.
	Killed int64
}

// Memory reads the accounts of the process's cgroup, of version 1 or 2.
func (p Process) Memory() (Memory, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", p.PID))
	if err != nil {
		return Memory{}, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) == 3 && fields[1] == "memory":
			return readMemory(filepath.Join("/sys/fs/cgroup/memory", fields[2]), "memory.max_usage_in_bytes", "memory.oom_control")
		case len(fields) == 3 && fields[0] == "0" && isFile("/sys/fs/cgroup/cgroup.controllers"):
			return readMemory(filepath.Join("/sys/fs/cgroup", fields[2]), "memory.peak", "memory.events")
		}
	}
	return Memory{}, fmt.Errorf("process %d: no account of memory in %q", p.PID, text)
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func readMemory(folder, peak, events string) (Memory, error) {
	text, err := os.ReadFile(filepath.Join(folder, peak))
	if err != nil {
		return Memory{}, err
	}
	most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return Memory{}, err
	}
	if text, err = os.ReadFile(filepath.Join(folder, events)); err != nil {
		return Memory{}, err
	}
	for line := range strings.Lines(string(text)) {
		if count, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok {
			killed, err := strconv.ParseInt(count, 10, 64)
			return Memory{Peak: most, Killed: killed}, err
		}
	}
	return Memory{}, fmt.Errorf("%s of %s says nothing of killed processes", events, folder)
}
