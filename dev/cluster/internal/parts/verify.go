package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

const sumsFile = "SHA256SUMS"

// Verify checks every program in the cache against the checksum taken when it was built.
func (s *Store) Verify() error {
	var group errgroup.Group
	for _, p := range All {
		group.Go(func() error { return s.verify(p) })
	}
	return group.Wait()
}

// Complete tells whether every part has been built, whatever state it is in now.
func (s *Store) Complete() bool {
	for _, p := range All {
		dir, err := s.dir(p)
		if err != nil {
			return false
		}
		if _, err := os.Stat(filepath.Join(dir, sumsFile)); err != nil {
			return false
		}
	}
	return true
}

func (s *Store) verify(p Part) error {
	dir, err := s.dir(p)
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return err
	}
	expected := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			expected[name] = sum
		}
	}
	for _, name := range p.programNames() {
		sum, err := sumOf(filepath.Join(dir, name))
		if err != nil || sum != expected[name] {
			return fmt.Errorf("the cached program %s is damaged (its checksum is wrong)", filepath.Join(dir, name))
		}
	}
	return nil
}

func writeSums(dir string, names []string) error {
	var text strings.Builder
	for _, name := range names {
		sum, err := sumOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, name)
	}
	return os.WriteFile(filepath.Join(dir, sumsFile), []byte(text.String()), 0o644)
}

func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
