package bom

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func sources(t *testing.T) Sources {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "status.d", "libstdc++6"),
		"Package: libstdc++6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:14.2.0-19+b1\nDescription: a library\n Version: not this\n")
	return Sources{
		Dpkg: filepath.Join(dir, "status.d"),
		Maven: write(t, filepath.Join(dir, "bom.json"), `{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [
			{"type": "library", "group": "dev.shellac", "name": "shellac-model", "version": "1", "purl": "pkg:maven/dev.shellac/shellac-model@1"},
			{"type": "library", "group": "com.google.re2j", "name": "re2j", "version": "1.8", "purl": "pkg:maven/com.google.re2j/re2j@1.8"}]}`),
		Cargo:   write(t, filepath.Join(dir, "crates"), "ghost-core v0.1.0 (/home/me/ghost)\nmemchr v2.7.0\nmemchr v2.7.0 (*)\n\n"),
		Runtime: filepath.Dir(write(t, filepath.Join(dir, "runtime", "release"), "JAVA_VERSION=\"25.0.3\"\nMODULES=\"java.base\"\n")),
	}
}

func TestEverySourceIsListedAndOurOwnPartsAreNot(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, "shellac-gateway", "1.0", sources(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"name": "shellac-gateway"`,
		`pkg:deb/debian/libstdc%2B%2B6@1%3A14.2.0-19%2Bb1?arch=amd64`,
		`pkg:maven/com.google.re2j/re2j@1.8`,
		`pkg:cargo/memchr@2.7.0`,
		`pkg:generic/openjdk@25.0.3`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
	for _, not := range []string{"shellac-model", "ghost-core", "serialNumber", "timestamp"} {
		if strings.Contains(out.String(), not) {
			t.Errorf("%s is in\n%s", not, out.String())
		}
	}
}

func TestTheSameContentGivesTheSameBytes(t *testing.T) {
	var one, two bytes.Buffer
	if err := Write(&one, "a", "1", sources(t)); err != nil {
		t.Fatal(err)
	}
	if err := Write(&two, "a", "1", sources(t)); err != nil {
		t.Fatal(err)
	}
	if one.String() != two.String() {
		t.Errorf("differ:\n%s\n%s", one.String(), two.String())
	}
}

func TestASourceThatListsNothingIsRefused(t *testing.T) {
	err := Write(&bytes.Buffer{}, "a", "1", Sources{Dpkg: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "nothing is listed") {
		t.Errorf("want a refusal, got %v", err)
	}
}
