package parts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	builtFile  = "BUILT"
	unfinished = ".building-"
)

// Prepare builds the parts that the cache lacks or that are damaged in it, and tells of its progress.
func (s *Store) Prepare(say func(format string, args ...any)) error {
	if err := os.MkdirAll(filepath.Join(s.cache, "parts"), 0o755); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(s.cache, "lock"), say)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.sweep(); err != nil {
		return err
	}
	var todo []Part
	for _, p := range All {
		if err := s.verify(p); err != nil {
			if !errors.Is(err, os.ErrNotExist) {
				say("%v; building it again", err)
			}
			todo = append(todo, p)
		}
	}
	for i, p := range todo {
		version, err := s.Version(p)
		if err != nil {
			return err
		}
		say("building %s %s (%d of %d)", p.Name, version, i+1, len(todo))
		start := time.Now()
		if err := s.build(p, version, say); err != nil {
			return err
		}
		say("built %s %s in %.0f s", p.Name, version, time.Since(start).Seconds())
	}
	return nil
}

// sweep removes what a build that was killed left. Nobody else builds while we hold the lock.
func (s *Store) sweep() error {
	left, err := filepath.Glob(filepath.Join(s.cache, "parts", unfinished+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) buildArgs(p Part, out string) ([]string, error) {
	ldflags := "-s -w"
	if p.ldflags != nil {
		versions, err := s.versions(p)
		if err != nil {
			return nil, err
		}
		ldflags += " " + p.ldflags(versions)
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-tags", p.tags, "-o", out}
	for _, program := range p.programNames() {
		args = append(args, p.programs[program])
	}
	return args, nil
}

func (s *Store) build(p Part, version string, say func(string, ...any)) error {
	dir, err := s.dir(p)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	start := time.Now()
	if err := s.compile(p, version, work, say); err != nil {
		return err
	}
	// One program is named by its file, several by their packages; etcd's package is called v3.
	if len(p.programs) == 1 {
		if err := renameOnly(work, p.programNames()[0]); err != nil {
			return err
		}
	}
	if err := writeSums(work, p.programNames()); err != nil {
		return err
	}
	took := fmt.Sprintf("%.0f\n", time.Since(start).Seconds())
	if err := os.WriteFile(filepath.Join(work, builtFile), []byte(took), 0o644); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(work, dir)
}

func (s *Store) compile(p Part, version, work string, say func(string, ...any)) error {
	args, err := s.buildArgs(p, work+"/")
	if err != nil {
		return err
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = s.source(p)
	cgo := "0"
	if p.cgo {
		cgo = "1"
	}
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOWORK=off", "GOFLAGS=-mod=readonly", "GOTOOLCHAIN=auto")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot run go: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	start := time.Now()
	for tick := time.NewTicker(15 * time.Second); ; {
		select {
		case err := <-done:
			tick.Stop()
			if err == nil {
				return nil
			}
			log := filepath.Join(s.cache, p.Name+"-build.log")
			_ = os.WriteFile(log, output.Bytes(), 0o644)
			return fmt.Errorf("could not build %s %s: %s (all of it: %s)", p.Name, version, firstCause(output.String()), log)
		case <-tick.C:
			say("  … %s, %.0f s", p.Name, time.Since(start).Seconds())
		}
	}
}

var unreachable = regexp.MustCompile(`(?m)^.*?(\S+@v\S+).*?((?:dial tcp|proxyconnect|TLS handshake|context deadline|connection reset).*)$`)

// firstCause finds the line of a failed build that says why.
func firstCause(output string) string {
	if match := unreachable.FindStringSubmatch(output); match != nil {
		return fmt.Sprintf("could not fetch %s, the module registry cannot be reached: %s", strings.Trim(match[1], `:"`), match[2])
	}
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading") {
			return line
		}
	}
	return "go said nothing"
}

func renameOnly(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) != 1 {
		return fmt.Errorf("go built %d files where one was expected", len(entries))
	}
	return os.Rename(filepath.Join(dir, entries[0].Name()), filepath.Join(dir, name))
}

// BuildSeconds is how long the parts in the cache took to build, when they were.
func (s *Store) BuildSeconds() (int, error) {
	total := 0
	dirs, err := s.Dirs()
	if err != nil {
		return 0, err
	}
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, builtFile))
		if err != nil {
			return 0, err
		}
		var seconds int
		if _, err := fmt.Sscan(string(text), &seconds); err != nil {
			return 0, fmt.Errorf("%s: %w", dir, err)
		}
		total += seconds
	}
	return total, nil
}

// lock waits until nobody else builds into the cache.
func lock(path string, say func(string, ...any)) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		say("waiting for another process that builds into the cache")
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
			return nil, err
		}
	}
	return func() { _ = file.Close() }, nil
}
