package image

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkout makes the same files as another machine would have them: other times, another umask.
func checkout(t *testing.T, umask os.FileMode, at time.Time) Spec {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tree", "b.txt"), "b", 0o666&^umask)
	program := write(t, filepath.Join(dir, "tree", "sub", "a"), "#!a", 0o777&^umask)
	if err := os.Symlink("sub/a", filepath.Join(dir, "tree", "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(program, at, at); err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(dir, "image.yaml"), `
tags: [docker.io/test/a:1, docker.io/test/a:2]
layers:
- files:
  - {from: tree, to: /opt/tree}
  - {from: "${extra}", to: /etc/extra, mode: "0600", uid: 7, gid: 8}
config:
  entrypoint: [/opt/tree/link]
  ports: [80/tcp]
`, 0o644)
	extra := write(t, filepath.Join(dir, "extra"), "extra", 0o640)
	spec, err := ReadSpec(file, map[string]string{"extra": extra})
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestTheSameInputGivesTheSameDigestAndBytes(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1.tar"), filepath.Join(dir, "2.tar")
	first, err := Build(checkout(t, 0o022, time.Unix(1e9, 0)), one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Build(checkout(t, 0o077, time.Unix(2e9, 0)), two)
	if err != nil {
		t.Fatal(err)
	}
	if first != second {
		t.Errorf("digests differ: %s, %s", first, second)
	}
	a, _ := os.ReadFile(one)
	b, _ := os.ReadFile(two)
	if string(a) != string(b) {
		t.Error("the tars differ")
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("something was left beside the tars: %v", left)
	}
}

func TestAnotherInputGivesAnotherDigest(t *testing.T) {
	dir := t.TempDir()
	spec := checkout(t, 0o022, time.Unix(1e9, 0))
	before, err := Build(spec, filepath.Join(dir, "a.tar"))
	if err != nil {
		t.Fatal(err)
	}
	spec.Config.User = "1"
	after, err := Build(spec, filepath.Join(dir, "b.tar"))
	if err != nil {
		t.Fatal(err)
	}
	if before == after {
		t.Error("the configuration is not part of the digest")
	}
}

func TestALayerHoldsWhatTheSpecificationSays(t *testing.T) {
	spec := checkout(t, 0o077, time.Unix(1e9, 0))
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(spec.Layers[0].writeLayer(writer)) }()
	var got []string
	for r := tar.NewReader(reader); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, header.FileInfo().Mode().String()+" "+header.Name+" "+header.Linkname)
		if header.Name == "etc/extra" && (header.Uid != 7 || header.Gid != 8) {
			t.Errorf("owner of etc/extra: %d:%d", header.Uid, header.Gid)
		}
	}
	want := []string{
		"drwxr-xr-x etc/ ", "-rw------- etc/extra ", "drwxr-xr-x opt/ ", "drwxr-xr-x opt/tree/ ", "-rw-r--r-- opt/tree/b.txt ",
		"Lrwxrwxrwx opt/tree/link sub/a", "drwxr-xr-x opt/tree/sub/ ", "-rwxr-xr-x opt/tree/sub/a ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTagsAreReadBack(t *testing.T) {
	out := filepath.Join(t.TempDir(), "image.tar")
	if _, err := Build(checkout(t, 0o022, time.Unix(1e9, 0)), out); err != nil {
		t.Fatal(err)
	}
	tags, err := Tags(out)
	if err != nil || !slices.Equal(tags, []string{"docker.io/test/a:1", "docker.io/test/a:2"}) {
		t.Errorf("%v, %v", tags, err)
	}
}

func TestWhatIsNotAnImageIsRefused(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.tar")
	file, err := os.Create(empty)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tar.NewWriter(file).Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	for path, words := range map[string]string{
		write(t, filepath.Join(dir, "text"), "hello, this is text", 0o644): "not a tar",
		empty: "neither an index.json nor a manifest.json",
	} {
		if _, err := Tags(path); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestBadSpecificationsAreRefusedWithTheReason(t *testing.T) {
	for text, words := range map[string]string{
		"layers: [{tar: x}]":      "needs a tag",
		"tags: [a]":               "needs a layer",
		"tags: [a]\nlayers: [{}]": "either files or a tar",
		"tags: [a]\nlayers: [{files: [{from: x, to: y}]}]":                 "not an absolute path",
		"tags: [\"a:${version}\"]\nlayers: [{files: [{from: x, to: /y}]}]": "variable version has no value",
		"tags: [a]\nlayers: [{files: [{from: x, to: /y, mode: \"999\"}]}]": "not an octal mode",
		"tags: [a]\nlayers: [{files: [{from: \"${nothing}\", to: /y}]}]":   "variable nothing has no value",
		"tags: [a]\nlayer: []": "unknown field",
		"tags: [a]\nlayers: [{tar: x}]\nconfig: {entrypoint: not-a-list}": "entrypoint",
	} {
		file := write(t, filepath.Join(t.TempDir(), "image.yaml"), text, 0o644)
		if _, err := ReadSpec(file, nil); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAFailedBuildLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	spec := checkout(t, 0o022, time.Unix(1e9, 0))
	spec.Layers[0].Files[0].From = filepath.Join(dir, "missing")
	if _, err := Build(spec, filepath.Join(dir, "out.tar")); err == nil {
		t.Fatal("a missing file was accepted")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestAPathThatIsGivenTwiceIsRefused(t *testing.T) {
	spec := checkout(t, 0o022, time.Unix(1e9, 0))
	spec.Layers[0].Files[1].To = "/opt/tree/b.txt"
	if _, err := Build(spec, filepath.Join(t.TempDir(), "out.tar")); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("%v", err)
	}
}

func TestTheExampleInTheDocumentationBuilds(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/images.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```yaml image\n")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/images.md has no example")
	}
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "image.yaml"), example, 0o644)
	write(t, filepath.Join(dir, "root.tar"), string(make([]byte, 1024)), 0o644) // an empty tar
	spec, err := ReadSpec(file, map[string]string{"hello": write(t, filepath.Join(dir, "hello"), "hello", 0o755)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(spec, filepath.Join(dir, "hello.tar")); err != nil {
		t.Error(err)
	}
}

func TestAFolderMayBeTheRootAndAFileMayNot(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tree", "etc", "hello"), "hello", 0o644)
	layer := Layer{Files: []File{{From: filepath.Join(dir, "tree"), To: "/"}}}
	entries, err := layer.entries()
	if err != nil || len(entries) != 2 || entries[0].to != "/etc" || entries[1].to != "/etc/hello" {
		t.Errorf("%v, %v", entries, err)
	}
	layer.Files[0].From = filepath.Join(dir, "tree", "etc", "hello")
	if _, err := layer.entries(); err == nil || !strings.Contains(err.Error(), "cannot be the root") {
		t.Errorf("want a refusal, got %v", err)
	}
}

func TestTagsAndLabelsHaveVariables(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "image.yaml"),
		"tags: [\"a:${version}\"]\nlayers: [{files: [{from: x, to: /y}]}]\nconfig: {labels: {version: \"${version}\"}}\n", 0o644)
	spec, err := ReadSpec(file, map[string]string{"version": "1.2.3"})
	if err != nil || spec.Tags[0] != "a:1.2.3" || spec.Config.Labels["version"] != "1.2.3" {
		t.Errorf("%v, %v", spec, err)
	}
}
