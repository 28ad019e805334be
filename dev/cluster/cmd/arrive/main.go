// arrive creates routes in a cluster one at a time, asks each millisecond for each, and tells how long they took, what answers came before,
// and what operator and gateway used meanwhile. It runs in the network of the cluster.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"shellac.dev/cluster/internal/arrival"
	"shellac.dev/cluster/internal/usage"
)

var routes = schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes"}

func main() {
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "arrive:", err)
		os.Exit(1)
	}
}

type options struct {
	target, namespace, gateway, service, slice string
	first, number, requests                    int
	attached                                   int64
	fill, unserved                             bool
	watch                                      []string
	patience, rest                             time.Duration
}

// outcome is what is printed.
type outcome struct {
	arrival.Report
	// Used is the CPU time of each watched program, in milliseconds for each route.
	Used map[string]float64 `json:"cpu_ms_per_route"`
	// PSS is the memory of each watched pod at the end, by program, in MiB.
	PSS map[string]map[string]float64 `json:"pss_mib"`
}

func command() *cobra.Command {
	var o options
	root := &cobra.Command{
		Use:           "arrive --target ADDRESS:PORT --first N --count N",
		Short:         "Create routes and measure how long each takes to be served; prints one line of JSON",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(*cobra.Command, []string) error { return o.run() },
	}
	flags := root.Flags()
	flags.StringVar(&o.target, "target", "", "where the Gateway answers")
	flags.StringVar(&o.namespace, "namespace", "default", "the namespace of the routes and their Service")
	flags.StringVar(&o.gateway, "gateway", "default/edge", "the Gateway, with its namespace")
	flags.StringVar(&o.service, "service", "echo", "the Service of the routes, at port 80")
	flags.IntVar(&o.first, "first", 1, "the number of the first route")
	flags.IntVar(&o.number, "count", 1, "how many")
	flags.BoolVar(&o.fill, "fill", false, "create all at once and wait for the last")
	flags.Int64Var(&o.attached, "attached", 0, "with --fill: until the Gateway counts so many routes")
	flags.BoolVar(&o.unserved, "unserved", false, "with --fill: they are not ours to serve")
	flags.DurationVar(&o.rest, "rest", 0, "create nothing, and tell what is used in this time")
	flags.StringVar(&o.slice, "churn", "", "with --rest: edit one of the routes each second, and this EndpointSlice every other one")
	flags.IntVar(&o.requests, "requests", 0, "ask so often for the first route before memory is looked at")
	flags.StringSliceVar(&o.watch, "watch", nil, "pods whose use is measured, as NAMESPACE/LABEL=VALUE")
	flags.DurationVar(&o.patience, "patience", 30*time.Second, "for one route")
	return root
}

func (o options) run() error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx := context.Background()
	poller := arrival.NewPoller(o.target)
	if o.fill {
		return o.fillUp(ctx, client, poller)
	}
	watched, err := o.watched(ctx, core)
	if err != nil {
		return err
	}
	if o.rest > 0 {
		return o.atRest(ctx, client, watched)
	}
	before, err := cpu(watched)
	if err != nil {
		return err
	}
	report, err := o.measure(ctx, client, poller)
	if err != nil {
		return err
	}
	after, err := cpu(watched)
	if err != nil {
		return err
	}
	for range o.requests {
		if status, err := poller.Ask(ctx, host(o.first)); err != nil || status != http.StatusOK {
			return fmt.Errorf("%s answers %d: %w", host(o.first), status, err)
		}
	}
	memory, err := pss(watched)
	if err != nil {
		return err
	}
	result := outcome{Report: report, Used: map[string]float64{}, PSS: memory}
	for program, used := range after {
		result.Used[program] = float64((used - before[program]).Milliseconds()) / float64(o.number)
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func host(n int) string { return fmt.Sprintf("r%d.example.com", n) }

func (o options) route(n int) *unstructured.Unstructured {
	namespace, gateway, _ := strings.Cut(o.gateway, "/")
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "gateway.networking.k8s.io/v1",
		"kind":       "HTTPRoute",
		"metadata":   map[string]any{"name": fmt.Sprintf("r%d", n), "namespace": o.namespace},
		"spec": map[string]any{
			"parentRefs": []any{map[string]any{"name": gateway, "namespace": namespace}},
			"hostnames":  []any{host(n)},
			"rules": []any{map[string]any{
				"matches":     []any{map[string]any{"path": map[string]any{"type": "PathPrefix", "value": "/"}}},
				"backendRefs": []any{map[string]any{"name": o.service, "port": int64(80)}},
			}},
		},
	}}
}

func (o options) create(ctx context.Context, client dynamic.Interface, n int) error {
	_, err := client.Resource(routes).Namespace(o.namespace).Create(ctx, o.route(n), metav1.CreateOptions{})
	return err
}

func (o options) measure(ctx context.Context, client dynamic.Interface, poller *arrival.Poller) (arrival.Report, error) {
	var took []time.Duration
	others := map[string]int{}
	for n := o.first; n < o.first+o.number; n++ {
		patient, end := context.WithTimeout(ctx, o.patience)
		one, err := poller.Arrive(patient, host(n), others, func(ctx context.Context) error { return o.create(ctx, client, n) })
		end()
		if err != nil {
			return arrival.Report{}, err
		}
		took = append(took, one)
		// What follows the first answer, as statuses, is not to be in the way of the next.
		time.Sleep(50 * time.Millisecond)
	}
	return arrival.Summary(took, others), nil
}

// watched are the processes of the pods that are watched, by the name of the pod's container.
func (o options) watched(ctx context.Context, core kubernetes.Interface) (map[string][]usage.Process, error) {
	found := map[string][]usage.Process{}
	for _, watch := range o.watch {
		namespace, selector, ok := strings.Cut(watch, "/")
		if !ok {
			return nil, fmt.Errorf("--watch %s: give NAMESPACE/LABEL=VALUE", watch)
		}
		pods, err := core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return nil, err
		}
		if len(pods.Items) == 0 {
			return nil, fmt.Errorf("--watch %s: there is no such pod", watch)
		}
		for _, pod := range pods.Items {
			for _, container := range pod.Status.ContainerStatuses {
				processes, err := usage.Of(container.ContainerID)
				if err != nil {
					return nil, err
				}
				found[container.Name] = append(found[container.Name], processes...)
			}
		}
	}
	return found, nil
}

// cpu is what each program has computed so far, by container and program.
func cpu(watched map[string][]usage.Process) (map[string]time.Duration, error) {
	sum := map[string]time.Duration{}
	for container, processes := range watched {
		for _, process := range processes {
			used, err := process.CPU()
			if errors.Is(err, os.ErrNotExist) {
				continue // one that comes and goes, as a compiler
			}
			if err != nil {
				return nil, err
			}
			sum[container+"/"+process.Program] += used
		}
	}
	return sum, nil
}

// pss is the memory of each watched pod, by program, in MiB.
func pss(watched map[string][]usage.Process) (map[string]map[string]float64, error) {
	memory := map[string]map[string]float64{}
	for pod, processes := range watched {
		memory[pod] = map[string]float64{}
		for _, process := range processes {
			bytes, err := process.PSS()
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			memory[pod][process.Program] += float64(bytes) / (1 << 20)
		}
	}
	return memory, nil
}
