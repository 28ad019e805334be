// Package bom says what is in an image, as CycloneDX: the packages of Debian, the libraries of Java and Rust, the Java runtime. Without
// a time or a serial number: the same content gives the same bytes.
package bom

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// Sources are the places to look at; those that are empty are left out.
type Sources struct {
	// Dpkg is a folder with a file for each package, as `dpkg-query --status` prints it.
	Dpkg string
	// Maven is a CycloneDX file that Maven has written.
	Maven string
	// Cargo is what `cargo tree --prefix none` prints.
	Cargo string
	// Runtime is the folder of a Java runtime.
	Runtime string
}

// Write writes the bill of materials of an image.
func Write(out io.Writer, name, version string, from Sources) error {
	var all []cdx.Component
	for _, source := range []struct {
		path string
		read func(string) ([]cdx.Component, error)
	}{{from.Dpkg, dpkg}, {from.Maven, maven}, {from.Cargo, cargo}, {from.Runtime, runtime}} {
		if source.path == "" {
			continue
		}
		found, err := source.read(source.path)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("nothing is listed in %s", source.path)
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b cdx.Component) int { return strings.Compare(a.PackageURL, b.PackageURL) })
	bom := cdx.NewBOM()
	bom.SerialNumber = ""
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{Type: cdx.ComponentTypeContainer, Name: name, Version: version}}
	bom.Components = &all
	encoder := cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON)
	encoder.SetPretty(true)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(bom)
}

// dpkg reads the stanzas of installed packages.
func dpkg(folder string) ([]cdx.Component, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, err
	}
	var found []cdx.Component
	for _, file := range files {
		fields, err := stanza(file)
		if err != nil {
			return nil, err
		}
		name, version := fields["Package"], fields["Version"]
		if name == "" || version == "" {
			return nil, fmt.Errorf("%s has no name or version of a package", file)
		}
		found = append(found, cdx.Component{
			Type: cdx.ComponentTypeLibrary, Name: name, Version: version,
			PackageURL: fmt.Sprintf("pkg:deb/debian/%s@%s?arch=%s", escape(name), escape(version), fields["Architecture"]),
		})
	}
	return found, nil
}

// stanza reads the fields of one line each.
func stanza(file string) (map[string]string, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fields := map[string]string{}
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		if key, value, ok := strings.Cut(scanner.Text(), ": "); ok && !strings.HasPrefix(key, " ") {
			fields[key] = value
		}
	}
	return fields, scanner.Err()
}

// escape writes the characters that mean something in a package URL.
func escape(text string) string {
	return strings.NewReplacer("%", "%25", "+", "%2B", ":", "%3A").Replace(text)
}

// maven reads the libraries that are not ours.
func maven(file string) ([]cdx.Component, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(in, cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var found []cdx.Component
	if bom.Components != nil {
		for _, component := range *bom.Components {
			if component.Group != "dev.shellac" {
				found = append(found, component)
			}
		}
	}
	return found, nil
}

// cargo reads the crates that are not ours: those without a folder of their own.
func cargo(file string) ([]cdx.Component, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var found []cdx.Component
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		// name v1.2.3, then perhaps (proc-macro), (/a/folder) or (*)
		words := strings.Fields(line)
		if len(words) < 2 || seen[words[0]+words[1]] || strings.Contains(line, "(/") {
			continue
		}
		seen[words[0]+words[1]] = true
		version := strings.TrimPrefix(words[1], "v")
		found = append(found, cdx.Component{
			Type: cdx.ComponentTypeLibrary, Name: words[0], Version: version,
			PackageURL: fmt.Sprintf("pkg:cargo/%s@%s", words[0], escape(version)),
		})
	}
	return found, nil
}

// runtime reads the release of a Java runtime.
func runtime(folder string) ([]cdx.Component, error) {
	text, err := os.ReadFile(filepath.Join(folder, "release"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && (key == "JAVA_RUNTIME_VERSION" || key == "JAVA_VERSION") {
			version := strings.Trim(value, `"`)
			return []cdx.Component{{
				Type: cdx.ComponentTypePlatform, Name: "openjdk", Version: version,
				PackageURL: "pkg:generic/openjdk@" + escape(version),
			}}, nil
		}
	}
	return nil, fmt.Errorf("%s/release names no version", folder)
}
