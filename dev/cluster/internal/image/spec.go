// Package image builds container images without a daemon: files and a configuration in, one tar out. The tar is
// an OCI image layout that also carries the manifest.json of `docker save`, so that containerd, Docker and
// Podman all load it. The same input gives the same digest: entries are sorted, times and owners come from the
// specification alone, and layers are not compressed (what a compressor makes depends on its version).
package image

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"sigs.k8s.io/yaml"
)

// Spec describes an image. Paths of files on this machine may be relative to the folder of the specification;
// they, tags and labels may name variables as ${NAME}.
type Spec struct {
	// Tags are the names under which the image is loaded, at least one.
	Tags []string `json:"tags"`
	// Architecture defaults to amd64.
	Architecture string  `json:"architecture,omitempty"`
	Layers       []Layer `json:"layers"`
	Config       Config  `json:"config"`
}

// Layer is either a list of files or a finished tar, taken as it is.
type Layer struct {
	Files []File `json:"files,omitempty"`
	Tar   string `json:"tar,omitempty"`
}

// File puts a file, or a folder with all that it holds, into a layer.
type File struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Mode, in octal, replaces the permissions of files; by default 0755 for what anyone may execute, else 0644.
	Mode string `json:"mode,omitempty"`
	UID  int    `json:"uid,omitempty"`
	GID  int    `json:"gid,omitempty"`
}

// Config is how a container of the image runs.
type Config struct {
	Entrypoint []string          `json:"entrypoint,omitempty"`
	Cmd        []string          `json:"cmd,omitempty"`
	Env        []string          `json:"env,omitempty"`
	User       string            `json:"user,omitempty"`
	WorkingDir string            `json:"workingDir,omitempty"`
	Ports      []string          `json:"ports,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
}

// ReadSpec reads a specification and fills in its variables.
func ReadSpec(file string, variables map[string]string) (Spec, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Spec{}, err
	}
	var spec Spec
	if err := yaml.UnmarshalStrict(text, &spec); err != nil {
		return Spec{}, fmt.Errorf("%s: %w", file, err)
	}
	if err := spec.resolve(filepath.Dir(file), variables); err != nil {
		return Spec{}, fmt.Errorf("%s: %w", file, err)
	}
	return spec, nil
}

func (s *Spec) resolve(dir string, variables map[string]string) error {
	if len(s.Tags) == 0 {
		return errors.New("an image needs a tag")
	}
	if len(s.Layers) == 0 {
		return errors.New("an image needs a layer")
	}
	if s.Architecture == "" {
		s.Architecture = "amd64"
	}
	var err error
	for i := range s.Tags {
		if s.Tags[i], err = expand(s.Tags[i], variables); err != nil {
			return err
		}
	}
	for name, value := range s.Config.Labels {
		if s.Config.Labels[name], err = expand(value, variables); err != nil {
			return err
		}
	}
	for i := range s.Layers {
		layer := &s.Layers[i]
		if (layer.Tar == "") == (len(layer.Files) == 0) {
			return fmt.Errorf("layer %d: give either files or a tar", i+1)
		}
		if layer.Tar, err = resolvePath(layer.Tar, dir, variables); err != nil {
			return err
		}
		for j := range layer.Files {
			file := &layer.Files[j]
			if file.From, err = resolvePath(file.From, dir, variables); err != nil {
				return err
			}
			if !path.IsAbs(file.To) {
				return fmt.Errorf("layer %d: %q is not an absolute path in the image", i+1, file.To)
			}
			if _, err := file.mode(0); err != nil {
				return fmt.Errorf("layer %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// expand fills in the variables of a text.
func expand(text string, variables map[string]string) (string, error) {
	var missing string
	expanded := os.Expand(text, func(variable string) string {
		value, ok := variables[variable]
		if !ok {
			missing = variable
		}
		return value
	})
	if missing != "" {
		return "", fmt.Errorf("%s: variable %s has no value", text, missing)
	}
	return expanded, nil
}

func resolvePath(name, dir string, variables map[string]string) (string, error) {
	expanded, err := expand(name, variables)
	if err != nil {
		return "", err
	}
	if expanded == "" || filepath.IsAbs(expanded) {
		return expanded, nil
	}
	return filepath.Join(dir, expanded), nil
}

// mode is the permissions of a file that has those of found on this machine. Only the execute bit is taken from
// there: the rest depends on the umask of whoever checked the file out.
func (f File) mode(found os.FileMode) (int64, error) {
	if f.Mode != "" {
		mode, err := strconv.ParseUint(f.Mode, 8, 12)
		if err != nil {
			return 0, fmt.Errorf("%q is not an octal mode", f.Mode)
		}
		return int64(mode), nil
	}
	if found&0o111 != 0 {
		return 0o755, nil
	}
	return 0o644, nil
}
