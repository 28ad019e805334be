package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// Build writes the image to a file, which appears only when it is whole, and returns the image's digest.
func Build(spec Spec, out string) (digest.Digest, error) {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(filepath.Dir(out), ".image-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)

	b := &builder{work: work}
	manifest, err := b.blobs(spec)
	if err != nil {
		return "", err
	}
	partial := filepath.Join(work, "image.tar")
	if err := b.assemble(spec, manifest, partial); err != nil {
		return "", err
	}
	return manifest.Digest, os.Rename(partial, out)
}

// builder collects the blobs of an image in a work folder.
type builder struct {
	work   string
	order  []v1.Descriptor
	config v1.Descriptor
	layers []v1.Descriptor
}

// blobs makes the layers, the configuration and the manifest, and returns the last.
func (b *builder) blobs(spec Spec) (v1.Descriptor, error) {
	config := v1.Image{
		Platform: v1.Platform{Architecture: spec.Architecture, OS: "linux"},
		Config: v1.ImageConfig{
			User: spec.Config.User, Entrypoint: spec.Config.Entrypoint, Cmd: spec.Config.Cmd, Env: spec.Config.Env,
			WorkingDir: spec.Config.WorkingDir, Labels: spec.Config.Labels,
		},
		RootFS: v1.RootFS{Type: "layers"},
	}
	for _, port := range spec.Config.Ports {
		if config.Config.ExposedPorts == nil {
			config.Config.ExposedPorts = map[string]struct{}{}
		}
		config.Config.ExposedPorts[port] = struct{}{}
	}
	for _, layer := range spec.Layers {
		blob, err := b.add(v1.MediaTypeImageLayer, layer.writeLayer)
		if err != nil {
			return v1.Descriptor{}, err
		}
		b.layers = append(b.layers, blob)
		// The layers are not compressed, so a layer's digest is that of its content, too.
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, blob.Digest)
	}
	var err error
	if b.config, err = b.add(v1.MediaTypeImageConfig, asJSON(config)); err != nil {
		return v1.Descriptor{}, err
	}
	return b.add(v1.MediaTypeImageManifest, asJSON(v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2},
		MediaType: v1.MediaTypeImageManifest,
		Config:    b.config,
		Layers:    b.layers,
	}))
}

func asJSON(value any) func(io.Writer) error {
	return func(out io.Writer) error { return json.NewEncoder(out).Encode(value) }
}

// add writes a blob and describes it.
func (b *builder) add(mediaType string, write func(io.Writer) error) (v1.Descriptor, error) {
	file, err := os.CreateTemp(b.work, "blob-")
	if err != nil {
		return v1.Descriptor{}, err
	}
	defer file.Close()
	hash := sha256.New()
	size := &counter{}
	if err := write(io.MultiWriter(file, hash, size)); err != nil {
		return v1.Descriptor{}, err
	}
	blob := v1.Descriptor{MediaType: mediaType, Digest: digest.NewDigest(digest.SHA256, hash), Size: size.n}
	if err := os.Rename(file.Name(), b.path(blob)); err != nil {
		return v1.Descriptor{}, err
	}
	for _, other := range b.order {
		if other.Digest == blob.Digest {
			return blob, nil
		}
	}
	b.order = append(b.order, blob)
	return blob, nil
}

func (b *builder) path(blob v1.Descriptor) string {
	return filepath.Join(b.work, blob.Digest.Encoded())
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// assemble writes the image layout as one tar.
func (b *builder) assemble(spec Spec, manifest v1.Descriptor, out string) error {
	file, err := os.OpenFile(out, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	w := tar.NewWriter(file)
	for _, blob := range b.order {
		if err := b.copyBlob(w, blob); err != nil {
			return err
		}
	}
	index := v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex}
	for _, tag := range spec.Tags {
		named := manifest
		named.Platform = &v1.Platform{Architecture: spec.Architecture, OS: "linux"}
		named.Annotations = map[string]string{
			"io.containerd.image.name": tag,
			v1.AnnotationRefName:       tag[strings.LastIndex(tag, ":")+1:],
		}
		index.Manifests = append(index.Manifests, named)
	}
	saved := []savedImage{{Config: blobName(b.config), RepoTags: spec.Tags, Layers: []string{}}}
	for _, layer := range b.layers {
		saved[0].Layers = append(saved[0].Layers, blobName(layer))
	}
	for _, member := range []struct {
		name  string
		value any
	}{
		{v1.ImageIndexFile, index},
		{"manifest.json", saved},
		{v1.ImageLayoutFile, v1.ImageLayout{Version: v1.ImageLayoutVersion}},
	} {
		var text bytes.Buffer
		if err := asJSON(member.value)(&text); err != nil {
			return err
		}
		if err := w.WriteHeader(headerOf(member.name, int64(text.Len()))); err != nil {
			return err
		}
		if _, err := w.Write(text.Bytes()); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}

// savedImage is an entry of the manifest.json that `docker save` writes.
type savedImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func blobName(blob v1.Descriptor) string { return "blobs/sha256/" + blob.Digest.Encoded() }

func headerOf(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: size, ModTime: epoch, Format: tar.FormatPAX}
}

func (b *builder) copyBlob(w *tar.Writer, blob v1.Descriptor) error {
	if err := w.WriteHeader(headerOf(blobName(blob), blob.Size)); err != nil {
		return err
	}
	in, err := os.Open(b.path(blob))
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(w, in)
	return err
}
