package image

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The time that every entry carries: images say what is in them, not when they were made.
var epoch = time.Unix(0, 0).UTC()

// entry is one member of a layer: where it goes, and where it comes from ("" for a folder that only leads to others).
type entry struct {
	to   string
	from string
	info fs.FileInfo
	file File
}

// writeLayer writes the layer's tar.
func (l Layer) writeLayer(out io.Writer) error {
	if l.Tar != "" {
		in, err := os.Open(l.Tar)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(out, in)
		return err
	}
	entries, err := l.entries()
	if err != nil {
		return err
	}
	w := tar.NewWriter(out)
	for _, e := range entries {
		if err := e.write(w); err != nil {
			return err
		}
	}
	return w.Close()
}

// entries are all members of the layer with the folders above them, sorted by name.
func (l Layer) entries() ([]entry, error) {
	byName := map[string]entry{}
	for _, file := range l.Files {
		err := filepath.WalkDir(file.From, func(from string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := os.Lstat(from)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(file.From, from)
			if err != nil {
				return err
			}
			to := path.Join(file.To, filepath.ToSlash(rel))
			if to == "/" {
				if !info.IsDir() {
					return fmt.Errorf("%s is no folder, and cannot be the root of the image", from)
				}
				return nil
			}
			if old, ok := byName[to]; ok && !(old.info.IsDir() && info.IsDir()) {
				return fmt.Errorf("%s is put into the image twice, from %s and from %s", to, old.from, from)
			}
			byName[to] = entry{to: to, from: from, info: info, file: file}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	var entries []entry
	seen := map[string]bool{"/": true}
	for _, name := range names {
		for _, parent := range parents(name) {
			if _, given := byName[parent]; !given && !seen[parent] {
				entries = append(entries, entry{to: parent})
			}
			seen[parent] = true
		}
		entries = append(entries, byName[name])
	}
	return entries, nil
}

// parents are the folders above a path, outermost first, without the root.
func parents(name string) []string {
	var above []string
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		above = append(above, dir)
	}
	slices.Reverse(above)
	return above
}

func (e entry) write(w *tar.Writer) error {
	header := &tar.Header{
		Name: strings.TrimPrefix(e.to, "/"), Uid: e.file.UID, Gid: e.file.GID, ModTime: epoch, Format: tar.FormatPAX,
	}
	switch {
	case e.from == "" || e.info.IsDir():
		header.Typeflag = tar.TypeDir
		header.Name += "/"
		header.Mode = 0o755
		return w.WriteHeader(header)
	case e.info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(e.from)
		if err != nil {
			return err
		}
		header.Typeflag = tar.TypeSymlink
		header.Linkname = target
		header.Mode = 0o777
		return w.WriteHeader(header)
	case e.info.Mode().IsRegular():
		return e.writeFile(w, header)
	}
	return fmt.Errorf("%s is neither a file, a folder nor a link", e.from)
}

func (e entry) writeFile(w *tar.Writer, header *tar.Header) error {
	mode, err := e.file.mode(e.info.Mode())
	if err != nil {
		return err
	}
	header.Typeflag = tar.TypeReg
	header.Mode = mode
	header.Size = e.info.Size()
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	in, err := os.Open(e.from)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(w, in)
	return err
}
