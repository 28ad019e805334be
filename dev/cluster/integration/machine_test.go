//go:build integration

package integration

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shellac.dev/cluster/internal/cgroups"
	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/parts"
)

// footprint is everything on the host that a cluster might leave behind, as sorted lines of text.
type footprint map[string][]string

// takeFootprint looks at the host. Other programs and clusters come and go while a test runs, so of processes and
// sockets only those count that are ours: they run one of the cluster's programs, or live in another network than the
// test's, as every process of a cluster does; and nothing counts that is of a cluster that is not ours.
func takeFootprint(t *testing.T) footprint {
	t.Helper()
	others := otherClusters(t)
	processes, sockets := ourProcesses(t, others)
	return footprint{
		"processes":          processes,
		"listening sockets":  listening(t, sockets),
		"mounts":             lines(t, "/proc/self/mountinfo", mountPoint),
		"network namespaces": netNamespaces(t, others),
		"cgroups":            slices.DeleteFunc(cgroupFolders(t), others.haveCgroup),
		"files":              slices.DeleteFunc(topFiles(t), others.haveFile),
	}
}

// expectNothingLeft compares with an earlier footprint. The kernel takes namespaces down after the last process
// has ended, so it may need a moment.
func expectNothingLeft(t *testing.T, before footprint) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		left = nil
		now := takeFootprint(t)
		for kind, list := range now {
			for _, line := range list {
				if !slices.Contains(before[kind], line) {
					left = append(left, kind+": "+line)
				}
			}
		}
		if len(left) == 0 {
			return
		}
	}
	slices.Sort(left)
	t.Errorf("left behind:\n  %s", strings.Join(left, "\n  "))
}

// ourProcesses lists our processes, and the inodes of the sockets that they have open.
func ourProcesses(t *testing.T, others others) (processes []string, sockets map[string]string) {
	t.Helper()
	cache, err := parts.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	sockets = map[string]string{}
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		program, err := os.Readlink(folder + "/exe")
		if err != nil {
			continue // gone, or the kernel's
		}
		theirs, err := os.Readlink(folder + "/ns/net")
		elsewhere := err == nil && theirs != own
		if others.haveProcess(folder, theirs) {
			continue
		}
		if !elsewhere && !strings.HasPrefix(program, filepath.Join(cache, "parts")) && !strings.HasPrefix(program, filepath.Join(home, "build", "bin")) {
			continue
		}
		id := fmt.Sprintf("%s %s", filepath.Base(folder), program)
		processes = append(processes, id)
		files, _ := filepath.Glob(folder + "/fd/*")
		for _, file := range files {
			if target, err := os.Readlink(file); err == nil && strings.HasPrefix(target, "socket:[") {
				sockets[strings.Trim(target, "socket:[]")] = id
			}
		}
	}
	return processes, sockets
}

// listening lists the sockets in the host's network that accept connections and are ours.
func listening(t *testing.T, ours map[string]string) []string {
	t.Helper()
	var found []string
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		found = append(found, lines(t, "/proc/net/"+table, func(fields []string) string {
			const listen, unconnected = "0A", "07"
			if len(fields) < 10 || (fields[3] != listen && fields[3] != unconnected) || ours[fields[9]] == "" {
				return ""
			}
			return table + " " + fields[1] + " of " + ours[fields[9]]
		})...)
	}
	return append(found, lines(t, "/proc/net/unix", func(fields []string) string {
		if len(fields) == 8 && strings.Contains(fields[7], "shellac") {
			return fields[7]
		}
		return ""
	})...)
}

func mountPoint(fields []string) string {
	if len(fields) < 5 {
		return ""
	}
	return fields[4]
}

func netNamespaces(t *testing.T, others others) []string {
	t.Helper()
	var found []string
	links, err := filepath.Glob("/proc/[0-9]*/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if id, err := os.Readlink(link); err == nil && !others.networks[id] {
			found = append(found, id)
		}
	}
	named, _ := filepath.Glob("/run/netns/*")
	slices.Sort(found)
	return append(slices.Compact(found), named...)
}

func cgroupFolders(t *testing.T) []string {
	t.Helper()
	hierarchies, err := cgroups.Hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, hierarchy := range hierarchies {
		_ = filepath.WalkDir(hierarchy, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				found = append(found, path)
			}
			return nil
		})
	}
	return found
}

// topFiles are the entries of the folders that Kubernetes' parts write to by default.
func topFiles(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, dir := range []string{"/run", "/var/lib", "/var/log", "/etc", "/etc/cni", "/opt", "/usr/libexec", filepath.Dir(layout.Root), layout.Root} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			found = append(found, filepath.Join(dir, entry.Name()))
		}
	}
	return found
}

// lines maps the fields of each line of a file to text, leaving out what maps to nothing.
func lines(t *testing.T, file string, pick func(fields []string) string) []string {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer in.Close()
	var found []string
	for scanner := bufio.NewScanner(in); scanner.Scan(); {
		if text := pick(strings.Fields(scanner.Text())); text != "" {
			found = append(found, text)
		}
	}
	return found
}
