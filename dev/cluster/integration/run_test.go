//go:build integration

// Package integration tests clusters as a user has them: through bin/cluster, on this machine.
package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var home = func() string {
	dir, err := filepath.Abs("../../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// fetchVariable makes this program fetch a URL instead of testing, so that it can do so inside a cluster's network.
const fetchVariable = "SHELLAC_TEST_FETCH"

func TestMain(m *testing.M) {
	if url := os.Getenv(fetchVariable); url != "" {
		os.Exit(fetch(url))
	}
	os.Exit(m.Run())
}

// fetch prints the status and the body, asking the cluster's name server for names.
func fetch(url string) int {
	resolver := &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, "10.96.0.10:53")
		},
	}
	client := &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{DialContext: (&net.Dialer{Resolver: resolver}).DialContext},
	}
	response, err := client.Get(url)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	fmt.Printf("%d\n%s\n", response.StatusCode, body)
	return 0
}

// result is what a command printed and how it ended.
type result struct {
	out, err string
	code     int
	took     time.Duration
}

// cluster runs bin/cluster.
func cluster(t *testing.T, args ...string) result {
	t.Helper()
	return run(t, exec.Command(filepath.Join(home, "bin", "cluster"), args...))
}

func run(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	r := result{out: out.String(), err: errs.String(), took: time.Since(start)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.code = exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return r
}

// ok fails the test unless the command succeeded.
func (r result) ok(t *testing.T) result {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	return r
}

// refused fails the test unless the command failed with one line that holds the words.
func (r result) refused(t *testing.T, words ...string) {
	t.Helper()
	text := strings.TrimSpace(r.err)
	if r.code == 0 || strings.Contains(text, "\n") {
		t.Errorf("want one line and a failure, got exit code %d and\n%s", r.code, r.err)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not mention %q", text, word)
		}
	}
}

// up brings a cluster up, and down again at the end of the test, whatever happens in between.
func up(t *testing.T, name string, args ...string) result {
	t.Helper()
	t.Cleanup(func() { cluster(t, "down", "--name", name) })
	return cluster(t, append([]string{"up", "--name", name}, args...)...).ok(t)
}

func kubectl(t *testing.T, name string, args ...string) result {
	t.Helper()
	return cluster(t, append([]string{"kubectl", "--name", name}, args...)...)
}

func apply(t *testing.T, name, file string) {
	t.Helper()
	kubectl(t, name, "apply", "-f", file).ok(t)
}

// get fetches a URL inside the cluster's network.
func get(t *testing.T, name string, node int, url string) result {
	t.Helper()
	cmd := exec.Command(filepath.Join(home, "bin", "cluster"), "exec", "--name", name, "--node", fmt.Sprint(node), "--", os.Args[0])
	cmd.Env = append(os.Environ(), fetchVariable+"="+url)
	return run(t, cmd)
}

// eventually waits for something that the cluster's controllers bring about.
func eventually(t *testing.T, what string, within time.Duration, done func() (bool, string)) {
	t.Helper()
	var seen string
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var yes bool
		if yes, seen = done(); yes {
			return
		}
	}
	t.Fatalf("%s: not within %s; last seen: %s", what, within, seen)
}

// measured prints a figure in the form that the summary of `make test` repeats.
func measured(format string, args ...any) {
	fmt.Printf("measured: "+format+"\n", args...)
}
