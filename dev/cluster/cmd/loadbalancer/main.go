// loadbalancer gives addresses of a pool to the Services of type LoadBalancer of one cluster.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/netip"
	"os"
	"os/signal"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"

	"shellac.dev/cluster/internal/loadbalancer"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	pool := flag.String("pool", "", "the addresses to give out, as 172.30.1.0/24")
	flag.Parse()
	if err := run(*kubeconfig, *pool); err != nil {
		fmt.Fprintln(os.Stderr, "loadbalancer:", err)
		os.Exit(1)
	}
}

func run(kubeconfig, pool string) error {
	addresses, err := netip.ParsePrefix(pool)
	if err != nil {
		return fmt.Errorf("--pool: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("--kubeconfig: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typed.EventSinkImpl{Interface: client.CoreV1().Events("")})
	controller := loadbalancer.Controller{
		Client: client,
		Events: broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "shellac-loadbalancer"}),
		Pool:   addresses,
		Log:    log.Printf,
	}
	return controller.Run(ctx)
}
