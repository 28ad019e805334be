// image builds a container image from a specification, without a daemon and reproducibly.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"shellac.dev/cluster/internal/bom"
	"shellac.dev/cluster/internal/image"
)

func main() {
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var out string
	var settings []string
	build := &cobra.Command{
		Use:   "build IMAGE.yaml --output IMAGE.tar [--set NAME=PATH]…",
		Short: "Build an image; prints its digest",
		Long: `Build an image from a specification and print its digest.

The tar is an OCI image layout with a docker-archive manifest: containerd, Docker and Podman load it. The same
input gives the same digest. docs/images.md describes the specification.`,
		Example: "  bin/image build dev/cluster/images/echo/image.yaml --set echo=./echo-basic --output echo.tar",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			variables := map[string]string{}
			for _, setting := range settings {
				name, value, ok := strings.Cut(setting, "=")
				if !ok {
					return fmt.Errorf("--set %s: give NAME=PATH", setting)
				}
				variables[name] = value
			}
			spec, err := image.ReadSpec(args[0], variables)
			if err != nil {
				return err
			}
			digest, err := image.Build(spec, out)
			if err != nil {
				return err
			}
			fmt.Println(digest)
			return nil
		},
	}
	build.Flags().StringVarP(&out, "output", "o", "", "the tar to write")
	build.Flags().StringArrayVar(&settings, "set", nil, "a value for ${NAME} in the specification")
	_ = build.MarkFlagRequired("output")

	root := &cobra.Command{
		Use:           "image",
		Short:         "Container images without a daemon",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(build, billOfMaterials())
	return root
}

func billOfMaterials() *cobra.Command {
	var name, version, out string
	var from bom.Sources
	list := &cobra.Command{
		Use:   "bom --name NAME --version VERSION --output FILE [--dpkg FOLDER] [--maven FILE] [--cargo FILE] [--runtime FOLDER]",
		Short: "List what is in an image, as CycloneDX",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			file, err := os.Create(out)
			if err != nil {
				return err
			}
			if err := bom.Write(file, name, version, from); err != nil {
				_ = file.Close()
				return err
			}
			return file.Close()
		},
	}
	list.Flags().StringVar(&name, "name", "", "the image")
	list.Flags().StringVar(&version, "version", "", "its version")
	list.Flags().StringVarP(&out, "output", "o", "", "the file to write")
	list.Flags().StringVar(&from.Dpkg, "dpkg", "", "a folder with a status stanza for each Debian package")
	list.Flags().StringVar(&from.Maven, "maven", "", "a CycloneDX file of Java libraries")
	list.Flags().StringVar(&from.Cargo, "cargo", "", "what cargo tree --prefix none printed")
	list.Flags().StringVar(&from.Runtime, "runtime", "", "a Java runtime")
	for _, flag := range []string{"name", "version", "output"} {
		_ = list.MarkFlagRequired(flag)
	}
	return list
}
