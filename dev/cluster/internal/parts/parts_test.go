package parts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixture is a store with one part, which is a program of ours that needs no network.
func fixture(t *testing.T) (*Store, Part) {
	t.Helper()
	sources := t.TempDir()
	dir := filepath.Join(sources, "hello")
	for name, text := range map[string]string{
		"go.mod":  "module hello\n\ngo 1.26.0\n\nrequire example.org/dep v1.2.3\n\nreplace example.org/dep => ./dep\n",
		"main.go": "package main\n\nimport \"example.org/dep\"\n\nfunc main() { println(dep.Word) }\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	part := Part{Name: "hello", module: "example.org/dep", programs: map[string]string{"hi": "."}}
	t.Setenv("SHELLAC_CACHE", t.TempDir())
	store, err := Open(sources)
	if err != nil {
		t.Fatal(err)
	}
	old := All
	All = []Part{part}
	t.Cleanup(func() { All = old })
	return store, part
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// place puts a built part into the cache, as build would.
func place(t *testing.T, s *Store, p Part) string {
	t.Helper()
	dir, err := s.dir(p)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "hi"), "a program")
	writeFile(t, filepath.Join(dir, builtFile), "42\n")
	if err := writeSums(dir, p.programNames()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheVersionIsThatOfTheModule(t *testing.T) {
	store, part := fixture(t)
	if version, err := store.Version(part); err != nil || version != "v1.2.3" {
		t.Errorf("%s, %v", version, err)
	}
}

func TestEveryRealPartHasAVersion(t *testing.T) {
	store, err := Open("../../parts")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range All {
		if version, err := store.Version(part); err != nil || !strings.HasPrefix(version, "v") {
			t.Errorf("%s: %s, %v", part.Name, version, err)
		}
	}
}

func TestADamagedProgramIsNoticed(t *testing.T) {
	store, part := fixture(t)
	dir := place(t, store, part)
	if err := store.Verify(); err != nil || !store.Complete() {
		t.Fatalf("whole, but: %v", err)
	}
	writeFile(t, filepath.Join(dir, "hi"), "b program")
	if err := store.Verify(); err == nil || !strings.Contains(err.Error(), "hi is damaged") {
		t.Errorf("%v", err)
	}
	if err := os.Remove(filepath.Join(dir, "hi")); err != nil {
		t.Fatal(err)
	}
	if err := store.Verify(); err == nil {
		t.Error("a missing program was not noticed")
	}
}

func TestAnotherInputIsAnotherFolder(t *testing.T) {
	store, part := fixture(t)
	before, err := store.dir(part)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(store.sources, "hello", "go.sum"), "example.org/dep v1.2.3 h1:abc=\n")
	after, err := store.dir(part)
	if err != nil {
		t.Fatal(err)
	}
	if before == after {
		t.Error("a changed go.sum would go on using the old program")
	}
}

func TestPrepareBuildsWhatIsMissingOrDamagedOnly(t *testing.T) {
	store, part := fixture(t)
	writeFile(t, filepath.Join(store.sources, "hello", "dep", "go.mod"), "module example.org/dep\n\ngo 1.26.0\n")
	writeFile(t, filepath.Join(store.sources, "hello", "dep", "dep.go"), "package dep\n\nconst Word = \"hi\"\n")
	var said []string
	say := func(format string, _ ...any) { said = append(said, format) }
	if err := store.Prepare(say); err != nil {
		t.Fatal(err)
	}
	if len(said) == 0 {
		t.Error("it built in silence")
	}
	said = nil
	if err := store.Prepare(say); err != nil || len(said) != 0 {
		t.Errorf("a second time it did something: %v %v", said, err)
	}
	dir, err := store.dir(part)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "hi"), "rubbish")
	if err := store.Prepare(say); err != nil || store.Verify() != nil {
		t.Errorf("a damaged program was not built again: %v", err)
	}
}

func TestAFailedBuildSaysWhyInOneLine(t *testing.T) {
	store, _ := fixture(t) // its dependency is missing
	err := store.Prepare(func(string, ...any) {})
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "hello v1.2.3") {
		t.Errorf("%v", err)
	}
}

func TestAnUnreachableRegistryIsNamedAsSuch(t *testing.T) {
	cause := firstCause("go: downloading a.b/c v1\n" +
		`main.go:3:2: a.b/c@v1.0.0: Get "https://registry/a.b/c/@v/v1.0.0.zip": dial tcp: lookup registry: no such host` + "\n")
	if !strings.Contains(cause, "could not fetch a.b/c@v1.0.0") || !strings.Contains(cause, "no such host") {
		t.Error(cause)
	}
}
