// Package usage reads what the processes of a container have used, from the host's own tables: a node of ours is a process of this
// machine.
package usage

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Ticks a second, as the kernel counts a process's time for others to read.
const tick = time.Second / 100

// Process is one process of a container.
type Process struct {
	PID     int
	Program string
	Command string
}

// Of lists the processes of the container with this ID, as the API names it (containerd://…).
func Of(containerID string) ([]Process, error) {
	_, id, ok := strings.Cut(containerID, "://")
	if !ok || id == "" {
		return nil, fmt.Errorf("%q is not the ID of a container", containerID)
	}
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var found []Process
	for _, folder := range folders {
		groups, err := os.ReadFile(folder + "/cgroup")
		if err != nil || !strings.Contains(string(groups), id) {
			continue // gone, or another's
		}
		program, err := os.Readlink(folder + "/exe")
		if err != nil {
			continue
		}
		command, _ := os.ReadFile(folder + "/cmdline")
		pid, _ := strconv.Atoi(filepath.Base(folder))
		found = append(found, Process{PID: pid, Program: filepath.Base(program), Command: strings.ReplaceAll(string(command), "\x00", " ")})
	}
	return found, nil
}

// CPU is the time that a process has computed.
func (p Process) CPU() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may hold anything.
	_, rest, ok := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 13 {
		return 0, fmt.Errorf("process %d: its stat is %q", p.PID, text)
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// PSS is the memory of a process, of what it shares its part, in bytes.
func (p Process) PSS() (int64, error) {
	in, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", p.PID))
	if err != nil {
		return 0, err
	}
	defer in.Close()
	for scanner := bufio.NewScanner(in); scanner.Scan(); {
		fields := strings.Fields(scanner.Text())
		if len(fields) >= 2 && fields[0] == "Pss:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("process %d says nothing of its memory", p.PID)
}

// Age is how long ago a process was started.
func (p Process) Age() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return 0, fmt.Errorf("process %d: its stat is %q", p.PID, text)
	}
	started, err := strconv.ParseInt(fields[19], 10, 64)
	if err != nil {
		return 0, err
	}
	up, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.ParseFloat(strings.Fields(string(up))[0], 64)
	return time.Duration(seconds*float64(time.Second)) - time.Duration(started)*tick, err
}
