//go:build integration

package integration

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"shellac.dev/cluster/internal/cgroups"
	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/parts"
)

const (
	readyWithin = 20 * time.Second
	downWithin  = 10 * time.Second
)

func TestAClusterServesAndGoesWithoutATrace(t *testing.T) {
	before := takeFootprint(t)
	const name = "it-serve"
	started := up(t, name)

	t.Run("the footprint shows a cluster that is up", func(t *testing.T) {
		now := takeFootprint(t)
		// Mounts and sockets are not among them: all of a cluster's are in namespaces of its own.
		for _, kind := range []string{"processes", "network namespaces", "cgroups", "files"} {
			if len(now[kind]) <= len(before[kind]) {
				t.Errorf("%s: nothing new is seen, so nothing left behind would be", kind)
			}
		}
	})
	t.Run("ready in time", func(t *testing.T) {
		took := readyAfter(t, started.err)
		measured("warm `cluster up` to a Ready node %.1f s, names resolve after %.1f s", took.Seconds(), started.took.Seconds())
		if took > readyWithin {
			t.Errorf("the node was Ready after %s, at most %s is allowed", took, readyWithin)
		}
	})
	t.Run("status tells of every component", func(t *testing.T) {
		status := cluster(t, "status", "--name", name).ok(t).out
		for _, component := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler",
			"loadbalancer", "containerd", "kubelet", "kube-proxy"} {
			if !regexp.MustCompile(component + ` +Ready`).MatchString(status) {
				t.Errorf("%s is not Ready:\n%s", component, status)
			}
		}
	})
	t.Run("pods weigh more than the control plane", func(t *testing.T) {
		node, err := layout.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		system, pods := weight(t, node.Node(1).SystemCgroup()), weight(t, node.Node(1).Cgroup()+"/kubepods")
		if pods <= system {
			t.Errorf("when processors are scarce, all pods together weigh %d and the control plane %d", pods, system)
		}
	})
	t.Run("of the version that is pinned", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(home, "dev", "cluster", "parts", "kubernetes", "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		pinned := regexp.MustCompile(`k8s.io/kubernetes (v\S+)`).FindStringSubmatch(string(text))[1]
		if version := kubectl(t, name, "version").ok(t).out; !strings.Contains(version, "Server Version: "+pinned) {
			t.Errorf("%s, but pinned is %s", version, pinned)
		}
	})
	t.Run("the name is taken", func(t *testing.T) {
		cluster(t, "up", "--name", name).refused(t, name, "taken")
	})
	t.Run("echo answers", func(t *testing.T) { echoAnswers(t, name) })
	t.Run("load balancer", func(t *testing.T) { addressesAreGivenAndReleased(t, name) })
	t.Run("helm installs", func(t *testing.T) {
		cluster(t, "helm", "--name", name, "install", "greeting", "testdata/chart").ok(t)
		if got := kubectl(t, name, "get", "configmap", "greeting", "-o", "jsonpath={.data.word}").ok(t).out; got != "hello" {
			t.Errorf("the chart's object says %q", got)
		}
	})
	t.Run("a stopped component is told and comes back", func(t *testing.T) {
		cluster(t, "stop", "--name", name, "kube-scheduler").ok(t)
		if status := cluster(t, "status", "--name", name); status.code == 0 || !strings.Contains(status.out, "Stopped") {
			t.Errorf("status hides it:\n%s", status.out)
		}
		cluster(t, "start", "--name", name, "kube-scheduler").ok(t)
		eventually(t, "all ready", 10*time.Second, func() (bool, string) {
			status := cluster(t, "status", "--name", name)
			return status.code == 0, status.out
		})
	})
	t.Run("images that are none are refused", func(t *testing.T) {
		text := filepath.Join(t.TempDir(), "text.tar")
		if err := os.WriteFile(text, []byte("not a tar"), 0o644); err != nil {
			t.Fatal(err)
		}
		cluster(t, "load", "--name", name, text).refused(t, text, "not an image")
		cluster(t, "load", "--name", name, "nothing.tar").refused(t, "nothing.tar")
	})
	t.Run("logs", func(t *testing.T) {
		if got := cluster(t, "logs", "--name", name, "kubelet").ok(t).out; !strings.Contains(got, "kubelet") {
			t.Errorf("kubelet's log: %.200s", got)
		}
		cluster(t, "logs", "--name", name, "nobody").refused(t, "nobody", "kube-apiserver")
	})

	down := cluster(t, "down", "--name", name).ok(t)
	measured("`cluster down` %.1f s", down.took.Seconds())
	if down.took > downWithin {
		t.Errorf("down took %s, at most %s is allowed", down.took, downWithin)
	}
	expectNothingLeft(t, before)
	cluster(t, "down", "--name", name).ok(t) // there is nothing to do, and that is fine
	cluster(t, "status", "--name", name).refused(t, "is down")
	expectNothingLeft(t, before)
}

// weight is that of a cgroup with processes in it or below it, where processors are shared out.
func weight(t *testing.T, cgroup string) int {
	t.Helper()
	hierarchies, err := cgroups.Hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	for _, hierarchy := range hierarchies {
		for _, file := range []string{"cpu.shares", "cpu.weight"} {
			text, err := os.ReadFile(filepath.Join(hierarchy, cgroup, file))
			if err != nil {
				continue
			}
			value, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if members := memberCount(t, filepath.Join(hierarchy, cgroup)); members == 0 {
				t.Errorf("no process is in %s", cgroup)
			}
			return value
		}
	}
	t.Fatalf("%s has no weight", cgroup)
	return 0
}

func memberCount(t *testing.T, folder string) (count int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "cgroup.procs" {
			return err
		}
		text, err := os.ReadFile(path)
		count += len(strings.Fields(string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

var ready = regexp.MustCompile(`\[ *([0-9.]+) s\] node \S+ is Ready`)

func readyAfter(t *testing.T, progress string) time.Duration {
	t.Helper()
	match := ready.FindStringSubmatch(progress)
	if match == nil {
		t.Fatalf("no word of a Ready node in\n%s", progress)
	}
	seconds, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(seconds * float64(time.Second))
}

func echoAnswers(t *testing.T, name string) {
	cluster(t, "load", "--name", name, "echo").ok(t)
	apply(t, name, "testdata/echo.yaml")
	kubectl(t, name, "rollout", "status", "--timeout=60s", "deployment/echo").ok(t)
	address := addressOf(t, name, "echo")
	for _, url := range []string{"http://" + address + "/", "http://echo.default.svc.cluster.local/"} {
		eventually(t, url, 20*time.Second, func() (bool, string) {
			got := get(t, name, 1, url)
			return strings.HasPrefix(got.out, "200\n") && strings.Contains(got.out, `"pod": "echo-`), got.out
		})
	}
	if logs := kubectl(t, name, "logs", "deployment/echo").ok(t).out; !strings.Contains(logs, "listening on port 3000") {
		t.Errorf("the pod's log: %s", logs)
	}
}

// addressOf waits for the address of a Service.
func addressOf(t *testing.T, name, service string) string {
	t.Helper()
	var address string
	eventually(t, "address of "+service, 10*time.Second, func() (bool, string) {
		address = addressNow(t, name, service)
		return address != "", "none"
	})
	return address
}

func addressNow(t *testing.T, name, service string) string {
	t.Helper()
	return kubectl(t, name, "get", "service", service, "-o", "jsonpath={.status.loadBalancer.ingress[0].ip}").ok(t).out
}

func addressesAreGivenAndReleased(t *testing.T, name string) {
	apply(t, name, "testdata/services.yaml")
	if got := addressOf(t, name, "asks"); got != "172.30.1.77" {
		t.Errorf("loadBalancerIP is not honoured: %s", got)
	}
	eventually(t, "an Event for the address outside the pool", 10*time.Second, func() (bool, string) {
		events := kubectl(t, name, "get", "events", "--field-selector=involvedObject.name=outside").ok(t).out
		return strings.Contains(events, "AddressOutsidePool"), events
	})
	if got := addressNow(t, name, "outside"); got != "" {
		t.Errorf("an address outside the pool was given: %s", got)
	}
	if got := addressNow(t, name, "waits"); got != "" {
		t.Errorf("an address was given twice: %s", got)
	}
	kubectl(t, name, "delete", "service", "asks").ok(t)
	if got := addressOf(t, name, "waits"); got != "172.30.1.77" {
		t.Errorf("the address was not released: %s", got)
	}
}

func TestWhatWasBuiltOnceIsMeasured(t *testing.T) {
	store, err := parts.Open(filepath.Join(home, "dev", "cluster", "parts"))
	if err != nil {
		t.Fatal(err)
	}
	seconds, err := store.BuildSeconds()
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	err = filepath.WalkDir(store.Cache(), func(_ string, entry fs.DirEntry, err error) error {
		// Whoever else builds here may be done with a file by now.
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	roots := ""
	built, _ := filepath.Glob(filepath.Join(store.Cache(), "roots", "*", "BUILT"))
	for _, file := range built {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		roots += fmt.Sprintf(", %s %s s", filepath.Base(filepath.Dir(file)), strings.TrimSpace(string(text)))
	}
	measured("what set-up built when the cache was empty: the cluster's programs %d s%s", seconds, roots)
	if text, err := os.ReadFile(filepath.Join(store.Cache(), "cold-setup-seconds")); err == nil {
		measured("cold set-up, all of it: %s s", strings.TrimSpace(string(text)))
	}
	measured("cache size %.2f GB", float64(size)/1e9)
}
