//go:build hostile

package gateway

import (
	"fmt"
	"os"

	"shellac.dev/cluster/internal/cgroups"
	"shellac.dev/cluster/internal/layout"
)

// In production clients have machines of their own. Here they share the machine with the cluster, and a client that waits for a processor would measure itself.
// What the honest clients leave is shared by the node, which weighs as much as three processors here, and the attackers: they get 0.39 of a core at least, and may take 0.3.
const (
	honestWeight   = 16
	attackerWeight = 1
)

// weigh puts this process into a cgroup of the cluster, which goes with the cluster, with the weight of so many processors.
func weigh(who string, processors int) {
	if err := enter(who, processors); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func enter(who string, processors int) error {
	cluster, err := layout.Named(os.Getenv("SHELLAC_CLUSTER"))
	if err != nil {
		return fmt.Errorf("SHELLAC_CLUSTER: %w", err)
	}
	cgroup := cluster.Cgroup() + "/" + who
	if err := cgroups.Make(cgroup); err != nil {
		return err
	}
	if err := cgroups.Weigh(cgroup, processors); err != nil {
		return err
	}
	return cgroups.Enter(cgroup)
}
