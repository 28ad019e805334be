//go:build integration

package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"shellac.dev/cluster/internal/node"
	"shellac.dev/cluster/internal/parts"
)

func TestTwoClustersRunSideBySideAndTwoNodesReachEachOther(t *testing.T) {
	before := takeFootprint(t)
	const one, two = "it-one", "it-two"
	t.Cleanup(func() {
		cluster(t, "down", "--name", one)
		cluster(t, "down", "--name", two)
	})
	var starting sync.WaitGroup
	var first, second result
	starting.Go(func() { first = cluster(t, "up", "--name", one) })
	starting.Go(func() { second = cluster(t, "up", "--name", two, "--nodes", "2") })
	starting.Wait()
	first.ok(t)
	second.ok(t)
	cluster(t, "load", "--name", two, "echo").ok(t)
	apply(t, two, "testdata/echo-on-every-node.yaml")
	kubectl(t, two, "rollout", "status", "--timeout=60s", "daemonset/echo").ok(t)
	address := addressOf(t, two, "echo")
	for node := 1; node <= 2; node++ {
		for _, pod := range []string{"it-two-1", "it-two-2"} {
			eventually(t, "the pod on "+pod+" reached from node "+string(rune('0'+node)), 20*time.Second, func() (bool, string) {
				got := get(t, two, node, "http://"+address+"/")
				return strings.Contains(got.out, `"pod": "`+pod+`"`), got.out
			})
		}
	}
	if got := kubectl(t, one, "get", "daemonset", "echo"); got.code == 0 {
		t.Error("what was applied to one cluster shows in the other")
	}
	cluster(t, "down", "--name", two).ok(t)
	cluster(t, "status", "--name", one).ok(t) // untouched
	cluster(t, "down", "--name", one).ok(t)
	expectNothingLeft(t, before)
}

// What `up` has done when it is killed differs from moment to moment; none may be one from which there is no way back.
func TestAKilledUpIsSwept(t *testing.T) {
	before := takeFootprint(t)
	const name = "it-killed"
	t.Cleanup(func() { cluster(t, "down", "--name", name) })
	for _, after := range []time.Duration{200 * time.Millisecond, 700 * time.Millisecond, 2 * time.Second, 5 * time.Second} {
		killUp(t, name, after)
	}
	cluster(t, "down", "--name", name).ok(t)
	expectNothingLeft(t, before)

	killUp(t, name, 3*time.Second)
	cluster(t, "up", "--name", name).ok(t)
	kubectl(t, name, "get", "nodes").ok(t)
	cluster(t, "down", "--name", name).ok(t)
	expectNothingLeft(t, before)
}

func killUp(t *testing.T, name string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(filepath.Join(home, "bin", "cluster"), "up", "--name", name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// A restart takes every process, mount, network and cgroup, and leaves the files: so does killing the nodes.
func TestARestartedMachineIsSwept(t *testing.T) {
	before := takeFootprint(t)
	const name = "it-restart"
	up(t, name)
	running, err := node.Running(name)
	if err != nil || len(running) != 1 {
		t.Fatalf("%v, %v", running, err)
	}
	if err := running[0].Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the node's end", 10*time.Second, func() (bool, string) { return !running[0].Alive(), "alive" })
	cluster(t, "status", "--name", name).refused(t, "remains")
	cluster(t, "up", "--name", name).ok(t)
	cluster(t, "down", "--name", name).ok(t)
	expectNothingLeft(t, before)
}

func TestWhatCannotWorkIsRefusedInOneLine(t *testing.T) {
	before := takeFootprint(t)
	program := filepath.Join(home, "bin", "cluster")
	t.Run("a name that is none", func(t *testing.T) {
		cluster(t, "up", "--name", "No_Name").refused(t, "No_Name", "not a cluster name")
	})
	t.Run("too many nodes", func(t *testing.T) {
		cluster(t, "up", "--name", "it-nodes", "--nodes", "99").refused(t, "99")
	})
	t.Run("a cluster that is not up", func(t *testing.T) {
		kubectl(t, "it-absent", "get", "nodes").refused(t, "it-absent is not up", "bin/cluster up")
		cluster(t, "load", "--name", "it-absent", "echo").refused(t, "it-absent is not up")
	})
	t.Run("not root", func(t *testing.T) {
		// The program itself, since the folder of the checkout may be closed to others.
		copied := filepath.Join(t.TempDir(), "cluster")
		text, err := os.ReadFile(filepath.Join(home, "build", "bin", "cluster"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, text, 0o755); err != nil {
			t.Fatal(err)
		}
		open(t, filepath.Dir(copied))
		cmd := exec.Command(copied, "up", "--name", "it-user")
		cmd.Env = []string{"SHELLAC_HOME=" + home, "SHELLAC_CACHE=/nonexistent", "HOME=/"}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		run(t, cmd).refused(t, "root", "sudo")
	})
	t.Run("too little disk space", func(t *testing.T) {
		script := `mkdir -p /var/lib/shellac && mount -t tmpfs -o size=64m tmpfs /var/lib/shellac && exec "$0" up --name it-disk`
		cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", script, program)
		t.Cleanup(func() { _ = os.Remove("/var/lib/shellac") })
		run(t, cmd).refused(t, "disk space", "5 GB")
	})
	t.Run("a damaged program", func(t *testing.T) { damagedProgram(t, program) })
	expectNothingLeft(t, before)
}

// open lets everybody reach a folder that was made for the test's user alone.
func open(t *testing.T, dir string) {
	t.Helper()
	for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func damagedProgram(t *testing.T, program string) {
	real, err := parts.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	// A cache whose folders are links to the real ones, but for one that is a copy with another program in it.
	cache := filepath.Join(t.TempDir(), "cache")
	if err := os.MkdirAll(filepath.Join(cache, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob(filepath.Join(real, "parts", "*-v*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		to := filepath.Join(cache, "parts", filepath.Base(folder))
		if !strings.HasPrefix(filepath.Base(folder), "runc-") {
			err = os.Symlink(folder, to)
		} else if err = os.CopyFS(to, os.DirFS(folder)); err == nil {
			err = os.WriteFile(filepath.Join(to, "runc"), []byte("damaged"), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "up", "--name", "it-damaged")
	cmd.Env = append(os.Environ(), "SHELLAC_CACHE="+cache)
	run(t, cmd).refused(t, "runc", "damaged", "bin/cluster prepare")
}
