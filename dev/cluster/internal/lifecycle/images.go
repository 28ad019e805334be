package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"shellac.dev/cluster/internal/image"
)

// builtin are the images that come with every cluster or that tests load into one.
var builtin = []string{"pause", "coredns", "echo"}

// images builds those of the built-in images that the cache lacks, and returns the tar of each.
func (m *Machine) images() (map[string]string, error) {
	variables, err := m.imageVariables()
	if err != nil {
		return nil, err
	}
	tars := map[string]string{}
	for _, name := range builtin {
		file := filepath.Join(m.Home.Root, "dev", "cluster", "images", name, "image.yaml")
		key, err := keyOf(file, variables[name])
		if err != nil {
			return nil, err
		}
		tars[name] = filepath.Join(m.Store.Cache(), "images", name+"-"+key+".tar")
		if _, err := os.Stat(tars[name]); err == nil {
			continue
		}
		spec, err := image.ReadSpec(file, variables)
		if err != nil {
			return nil, err
		}
		digest, err := image.Build(spec, tars[name])
		if err != nil {
			return nil, fmt.Errorf("image %s: %w", name, err)
		}
		m.Say("built image %s, %s", name, digest)
	}
	return tars, nil
}

// imageVariables are the files that the specifications of the built-in images name.
func (m *Machine) imageVariables() (map[string]string, error) {
	coredns, err := m.Store.Bin("coredns")
	if err != nil {
		return nil, err
	}
	echo, err := m.Store.Bin("echo-basic")
	if err != nil {
		return nil, err
	}
	return map[string]string{"pause": m.Home.program("pause"), "coredns": coredns, "echo": echo}, nil
}

// keyOf is a short hash of what an image is made of.
func keyOf(files ...string) (string, error) {
	hash := sha256.New()
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(hash, file)
		_ = file.Close()
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:10], nil
}
