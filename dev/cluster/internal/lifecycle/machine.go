// Package lifecycle brings clusters up and takes them down.
package lifecycle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/parts"
)

// minFree is what a cluster may need: its store, the images' file systems, logs.
const minFree = 5 << 30

// Home is what a checkout provides: its own programs and the sources of the parts.
type Home struct {
	// Root is the top of the checkout.
	Root string
}

func (h Home) program(name string) string { return filepath.Join(h.Root, "build", "bin", name) }

// Machine is this machine with a checkout: what clusters are made of, and what is said meanwhile.
type Machine struct {
	Home  Home
	Store *parts.Store
	start time.Time
}

// Open looks at the machine.
func Open(home Home) (*Machine, error) {
	store, err := parts.Open(filepath.Join(home.Root, "dev", "cluster", "parts"))
	if err != nil {
		return nil, err
	}
	return &Machine{Home: home, Store: store, start: time.Now()}, nil
}

// Say tells of progress, with the seconds since the start.
func (m *Machine) Say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "[%5.1f s] %s\n", time.Since(m.start).Seconds(), fmt.Sprintf(format, args...))
}

// Prepare builds everything that clusters need and the cache lacks.
func (m *Machine) Prepare() error {
	if err := requireSpace(m.Store.Cache()); err != nil {
		return err
	}
	if err := m.Store.Prepare(m.Say); err != nil {
		return err
	}
	_, err := m.images()
	return err
}

// requireRoot: namespaces, mounts and cgroups are the superuser's.
func requireRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("clusters need root: run this again with sudo")
	}
	return nil
}

func requireSpace(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if free := stat.Bavail * uint64(stat.Bsize); free < minFree {
		return fmt.Errorf("too little disk space: %s has %.1f GB free, a cluster needs %.0f GB",
			dir, float64(free)/1e9, float64(minFree)/1e9)
	}
	return nil
}

// errBusy is what lock answers when another process holds the cluster's lock.
var errBusy = errors.New("busy")

// lock keeps two commands from changing the same cluster at once. The kernel drops it with the process.
func lock(c layout.Cluster) (func(), error) {
	for {
		if err := os.MkdirAll(layout.Root, 0o755); err != nil {
			return nil, err
		}
		file, err := os.OpenFile(c.Lock(), os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			continue // the last cluster has just taken the folder along
		}
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("cluster %s is being changed by another process: %w", c.Name, errBusy)
		}
		// The holder before us may have removed the file meanwhile; a lock on that would exclude nobody.
		held, err1 := file.Stat()
		named, err2 := os.Stat(c.Lock())
		if err1 == nil && err2 == nil && os.SameFile(held, named) {
			return func() {
				_ = os.Remove(c.Lock())
				// Go if empty: the last cluster takes the folders along.
				_ = os.Remove(layout.Root)
				_ = os.Remove(filepath.Dir(layout.Root))
				_ = file.Close()
			}, nil
		}
		_ = file.Close()
	}
}
