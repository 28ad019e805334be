package image

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// Tags reads the names of the images in a tar, of ours or of `docker save`, and so tells whether it is one.
func Tags(file string) ([]string, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var tags []string
	found := false
	for r := tar.NewReader(in); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s is not an image: it is not a tar", file)
		}
		switch header.Name {
		case "manifest.json":
			var saved []savedImage
			if err := json.NewDecoder(r).Decode(&saved); err != nil {
				return nil, fmt.Errorf("%s is not an image: its manifest.json: %w", file, err)
			}
			for _, image := range saved {
				tags = append(tags, image.RepoTags...)
			}
			found = true
		case v1.ImageIndexFile:
			found = true
		}
	}
	if !found {
		return nil, fmt.Errorf("%s is not an image: it has neither an index.json nor a manifest.json", file)
	}
	slices.Sort(tags)
	return slices.Compact(tags), nil
}
