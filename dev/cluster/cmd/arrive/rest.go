package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"shellac.dev/cluster/internal/usage"
)

var slices = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}

// resting is what is printed about programs that have little to do.
type resting struct {
	// Cores is the CPU that each program used, of one core.
	Cores  map[string]float64            `json:"cores"`
	Edits  int                           `json:"edits"`
	PSS    map[string]map[string]float64 `json:"pss_mib"`
	Length float64                       `json:"seconds"`
}

// rest lets time pass. Where routes are named, one of them is edited each second, and the addresses of a slice every other one.
func (o options) atRest(ctx context.Context, client dynamic.Interface, watched map[string][]usage.Process) error {
	before, err := cpu(watched)
	if err != nil {
		return err
	}
	start := time.Now()
	edits := 0
	for second := 0; time.Since(start) < o.rest; second++ {
		if o.slice != "" {
			if err := o.edit(ctx, client, second); err != nil {
				return err
			}
			edits++
		}
		time.Sleep(time.Until(start.Add(time.Duration(second+1) * time.Second)))
	}
	length := time.Since(start)
	after, err := cpu(watched)
	if err != nil {
		return err
	}
	memory, err := pss(watched)
	if err != nil {
		return err
	}
	result := resting{Cores: map[string]float64{}, Edits: edits, PSS: memory, Length: length.Seconds()}
	for program, used := range after {
		result.Cores[program] = (used - before[program]).Seconds() / length.Seconds()
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func (o options) edit(ctx context.Context, client dynamic.Interface, second int) error {
	n := o.first + second*37%o.number
	patch := fmt.Sprintf(`[{"op":"replace","path":"/spec/rules/0/matches/0/path/value","value":"/%d"}]`, second)
	_, err := client.Resource(routes).Namespace(o.namespace).Patch(ctx, fmt.Sprintf("r%d", n), types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil || second%2 != 0 {
		return err
	}
	patch = fmt.Sprintf(`[{"op":"replace","path":"/endpoints/0/addresses/0","value":"10.99.%d.%d"}]`, second/250%250, second%250+1)
	_, err = client.Resource(slices).Namespace(o.namespace).Patch(ctx, o.slice, types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	return err
}
