// Package cgroups makes, weighs, enters and removes the cgroups under which a cluster's pods run, on machines with one
// hierarchy (version 2) and with one for each controller (version 1).
package cgroups

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const mountPoint = "/sys/fs/cgroup"

// Hierarchies lists the folders in which a cgroup must exist to be seen by every controller.
func Hierarchies() ([]string, error) {
	if _, err := os.Stat(filepath.Join(mountPoint, "cgroup.controllers")); err == nil {
		return []string{mountPoint}, nil
	}
	entries, err := os.ReadDir(mountPoint)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		path := filepath.Join(mountPoint, entry.Name())
		// Version 1 has symbolic links for joint controllers (cpu -> cpu,cpuacct); one of the names is enough.
		if entry.IsDir() && isFile(filepath.Join(path, "cgroup.procs")) {
			found = append(found, path)
		}
	}
	return found, nil
}

// Make creates the cgroup in every hierarchy.
func Make(cgroup string) error {
	hierarchies, err := Hierarchies()
	if err != nil {
		return err
	}
	for _, hierarchy := range hierarchies {
		parent := hierarchy
		for name := range strings.SplitSeq(strings.Trim(cgroup, "/"), "/") {
			path := filepath.Join(parent, name)
			if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("cannot make cgroup %s: %w", path, err)
			}
			if err := inherit(parent, path); err != nil {
				return err
			}
			parent = path
		}
	}
	return nil
}

// inherit gives a new cgroup what it does not get by itself: in version 1 the processors and memory nodes
// that it may use (until then no process can enter it), in version 2 the controllers.
func inherit(parent, child string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(parent, file))
		if err != nil || !isFile(filepath.Join(child, "tasks")) {
			continue
		}
		if err := os.WriteFile(filepath.Join(child, file), value, 0o644); err != nil {
			return err
		}
	}
	controllers, err := os.ReadFile(filepath.Join(parent, "cgroup.controllers"))
	if err != nil || isFile(filepath.Join(parent, "tasks")) {
		return nil
	}
	for controller := range strings.FieldsSeq(string(controllers)) {
		// Some controllers cannot be passed on here; kubelet says so if it needs one of them.
		_ = os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+"+controller), 0o644)
	}
	return nil
}

// Weigh gives a cgroup the weight of so many processors, which counts while more are asked for than there are.
func Weigh(cgroup string, processors int) error {
	hierarchies, err := Hierarchies()
	if err != nil {
		return err
	}
	for _, hierarchy := range hierarchies {
		for file, scale := range weights {
			path := filepath.Join(hierarchy, cgroup, file)
			if !isFile(path) {
				continue
			}
			if err := os.WriteFile(path, []byte(strconv.Itoa(min(processors*scale.one, scale.most))), 0o644); err != nil {
				return fmt.Errorf("cannot weigh cgroup %s: %w", path, err)
			}
		}
	}
	return nil
}

// weights are the files that hold the weight of a cgroup, of version 1 and 2: what one processor has there by default, and the most that the kernel takes.
var weights = map[string]struct{ one, most int }{"cpu.shares": {1024, 262_144}, "cpu.weight": {100, 10_000}}

// Enter puts the calling process, and all that it starts from now on, into a cgroup of every controller that shares out processors.
func Enter(cgroup string) error {
	hierarchies, err := Hierarchies()
	if err != nil {
		return err
	}
	for _, hierarchy := range hierarchies {
		folder := filepath.Join(hierarchy, cgroup)
		if !isFile(filepath.Join(folder, "cpu.shares")) && !isFile(filepath.Join(folder, "cpu.weight")) {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, "cgroup.procs"), []byte("0"), 0o644); err != nil {
			return fmt.Errorf("cannot enter cgroup %s: %w", folder, err)
		}
	}
	return nil
}

// Remove ends every process in the cgroup and below it, and removes all of it from every hierarchy.
func Remove(cgroup string, patience time.Duration) error {
	hierarchies, err := Hierarchies()
	if err != nil {
		return err
	}
	deadline := time.Now().Add(patience)
	for _, hierarchy := range hierarchies {
		root := filepath.Join(hierarchy, cgroup)
		for {
			err := removeTree(root)
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("cannot remove cgroup %s: %w", root, err)
			}
			killAll(root)
			time.Sleep(10 * time.Millisecond)
		}
	}
	return nil
}

// removeTree removes the folders from the leaves up; the files in them are the kernel's.
func removeTree(root string) error {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeTree(filepath.Join(root, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := syscall.Rmdir(root); err != nil && !errors.Is(err, syscall.ENOENT) {
		return err
	}
	return nil
}

func killAll(root string) {
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != "cgroup.procs" {
			return nil
		}
		pids, _ := os.ReadFile(path)
		for field := range strings.FieldsSeq(string(pids)) {
			if pid, err := strconv.Atoi(field); err == nil && pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		return nil
	})
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
