// cluster runs a real Kubernetes on this machine, for tests: no Docker, no image registry, nothing left behind.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"shellac.dev/cluster/internal/layout"
	"shellac.dev/cluster/internal/lifecycle"
	"shellac.dev/cluster/internal/node"
)

func main() {
	// The same program is each node's first process: it is found again by its arguments.
	if n, ok := node.FromArgs(os.Args); ok {
		fmt.Fprintln(os.Stderr, node.Supervise(n))
		os.Exit(1)
	}
	if err := root().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// cli is what the commands share.
type cli struct {
	name string
}

func root() *cobra.Command {
	c := &cli{}
	root := &cobra.Command{
		Use:   "cluster",
		Short: "A real Kubernetes on this machine",
		Long: `A real Kubernetes on this machine, in namespaces of its own: etcd, API server, controllers, scheduler,
kubelet, containerd, kube-proxy, CoreDNS and a load balancer. Clusters with different names run side by side.`,
		Example: `  bin/cluster up
  bin/cluster kubectl get pods --all-namespaces
  bin/cluster exec -- curl http://172.30.1.1/
  bin/cluster down`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().StringVar(&c.name, "name", "dev", "the cluster's name")
	root.AddCommand(c.up(), c.down(), c.status(), c.load(), c.exec(), c.logs(), c.start(), c.stop(), c.prepare(), c.list(), c.which(),
		c.program("kubectl", "Run kubectl against the cluster"),
		c.program("helm", "Run helm against the cluster"))
	return root
}

func machine() (*lifecycle.Machine, error) {
	home := os.Getenv("SHELLAC_HOME")
	if home == "" {
		return nil, errors.New("SHELLAC_HOME is not set: call this through bin/cluster")
	}
	return lifecycle.Open(lifecycle.Home{Root: home})
}

// with resolves the machine and the name, and then acts.
func (c *cli) with(act func(*lifecycle.Machine, layout.Cluster) error) error {
	m, err := machine()
	if err != nil {
		return err
	}
	named, err := layout.Named(c.name)
	if err != nil {
		return err
	}
	return act(m, named)
}

func (c *cli) up() *cobra.Command {
	nodes := 1
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Bring a cluster up; returns when its nodes are Ready",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return c.with(func(m *lifecycle.Machine, named layout.Cluster) error { return m.Up(named, nodes) })
		},
	}
	cmd.Flags().IntVar(&nodes, "nodes", 1, "how many nodes, each with a network of its own")
	return cmd
}

func (c *cli) down() *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End a cluster and remove all that it left",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return c.with(func(m *lifecycle.Machine, named layout.Cluster) error {
				if err := m.Down(named); err != nil {
					return err
				}
				m.Say("cluster %s is down", named.Name)
				return nil
			})
		},
	}
}

func (c *cli) status() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what runs; fails unless all of it is ready",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.with(func(m *lifecycle.Machine, named layout.Cluster) error { return m.Status(named, cmd.OutOrStdout()) })
		},
	}
}

func (c *cli) load() *cobra.Command {
	return &cobra.Command{
		Use:   "load IMAGE.tar",
		Short: "Put an image into every node",
		Long:  "Put an image into every node: a tar made by bin/image or `docker save`, or `echo`, the conformance suite's server.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(func(m *lifecycle.Machine, named layout.Cluster) error {
				load := m.Load
				if _, err := os.Stat(args[0]); errors.Is(err, os.ErrNotExist) {
					load = m.LoadBuiltin
				}
				tags, err := load(named, args[0])
				for _, tag := range tags {
					fmt.Fprintln(cmd.OutOrStdout(), tag)
				}
				return err
			})
		},
	}
}

func (c *cli) exec() *cobra.Command {
	index := 1
	cmd := &cobra.Command{
		Use:   "exec -- COMMAND [ARGUMENT]…",
		Short: "Run a command in the cluster's network, with KUBECONFIG set",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.with(func(m *lifecycle.Machine, named layout.Cluster) error { return m.Exec(named.Node(index), args) })
		},
	}
	cmd.Flags().IntVar(&index, "node", 1, "the node whose network to enter")
	cmd.Flags().SetInterspersed(false)
	return cmd
}

// program passes everything but --name on.
func (c *cli) program(program, short string) *cobra.Command {
	return &cobra.Command{
		Use:                program + " [ARGUMENT]…",
		Short:              short,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			args = c.takeName(args)
			return c.with(func(m *lifecycle.Machine, named layout.Cluster) error { return m.Program(named, program, args) })
		},
	}
}

// takeName reads a leading --name, which is ours; later ones are the program's.
func (c *cli) takeName(args []string) []string {
	const flag = "--name"
	switch {
	case len(args) >= 2 && args[0] == flag:
		c.name = args[1]
		return args[2:]
	case len(args) >= 1 && len(args[0]) > len(flag) && args[0][:len(flag)+1] == flag+"=":
		c.name = args[0][len(flag)+1:]
		return args[1:]
	}
	return args
}

func (c *cli) logs() *cobra.Command {
	follow := false
	cmd := &cobra.Command{
		Use:   "logs COMPONENT",
		Short: "Show the log of a component (kubelet; kubelet-2 for that of the second node)",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(func(m *lifecycle.Machine, named layout.Cluster) error {
				file, err := m.LogFile(named, args[0])
				if err != nil {
					return err
				}
				tail := []string{"--lines=+1"}
				if follow {
					tail = append(tail, "--follow")
				}
				show := exec.Command("tail", append(tail, file)...)
				show.Stdout, show.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
				return show.Run()
			})
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as it grows")
	return cmd
}

func (c *cli) start() *cobra.Command {
	return c.component("start COMPONENT", "Start a component that was stopped", (*node.Control).Start)
}

func (c *cli) stop() *cobra.Command {
	return c.component("stop COMPONENT", "Stop a component until it is started again", (*node.Control).Stop)
}

func (c *cli) component(use, short string, act func(*node.Control, string) error) *cobra.Command {
	index := 1
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.with(func(_ *lifecycle.Machine, named layout.Cluster) error {
				return act(node.ControlOf(named.Node(index)), args[0])
			})
		},
	}
	cmd.Flags().IntVar(&index, "node", 1, "the node that runs it")
	return cmd
}

func (c *cli) prepare() *cobra.Command {
	return &cobra.Command{
		Use:   "prepare",
		Short: "Build everything that clusters need into the cache",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			m, err := machine()
			if err != nil {
				return err
			}
			return m.Prepare()
		},
	}
}

func (c *cli) which() *cobra.Command {
	return &cobra.Command{
		Use:   "which PROGRAM",
		Short: "Print where a program of the clusters is, as helm, for what needs no cluster",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := machine()
			if err != nil {
				return err
			}
			path, err := m.Store.Bin(args[0])
			if err != nil {
				return err
			}
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("%s is not built yet: `bin/cluster prepare` builds it", args[0])
			}
			fmt.Fprintln(cmd.OutOrStdout(), path)
			return nil
		},
	}
}

func (c *cli) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the clusters of this machine",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			known, err := lifecycle.Known()
			for _, named := range known {
				fmt.Fprintln(cmd.OutOrStdout(), named.Name)
			}
			return err
		},
	}
}
