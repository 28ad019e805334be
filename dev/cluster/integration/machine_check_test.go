//go:build integration

package integration

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"shellac.dev/cluster/internal/cgroups"
)

// A check that sees nothing would pass, too; so every kind of thing is left behind here once, to see it seen.
func TestTheFootprintSeesEveryKindOfRemains(t *testing.T) {
	before := takeFootprint(t)
	undo := leaveOneOfEachKind(t)
	after := takeFootprint(t)
	for kind := range after {
		if len(after[kind]) <= len(before[kind]) {
			t.Errorf("%s: one was left, and none seen", kind)
		}
	}
	undo()
	expectNothingLeft(t, before)
}

func leaveOneOfEachKind(t *testing.T) (undo func()) {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	const cgroup, file = "/shellac-it-footprint", "/run/shellac-footprint"
	if err := cgroups.Make(cgroup); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "shellac.sock"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := exec.Command("unshare", "--net", "sleep", "60")
	if err := elsewhere.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a process in a network of its own", 5*time.Second, func() (bool, string) {
		theirs, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", elsewhere.Process.Pid))
		own, _ := os.Readlink("/proc/self/ns/net")
		return theirs != own, theirs
	})
	return func() {
		_ = elsewhere.Process.Kill()
		_ = elsewhere.Wait()
		_ = socket.Close()
		_ = os.Remove(file)
		if err := cgroups.Remove(cgroup, time.Second); err != nil {
			t.Error(err)
		}
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}
}
