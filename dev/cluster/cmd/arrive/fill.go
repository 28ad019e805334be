package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"shellac.dev/cluster/internal/arrival"
)

var (
	gateways   = schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
)

// filled is what is printed about many routes at once.
type filled struct {
	Created int64 `json:"created_ms"`
	// Served is how long after the last creation its host answered, Attached how long until the Gateway counted all.
	Served   int64 `json:"last_ms"`
	Attached int64 `json:"attached_ms"`
	// Told is how long until the last one had a status.
	Told int64 `json:"told_ms"`
	// Writes is how often the Gateway was written meanwhile, Config how often its ConfigMaps were.
	Writes int   `json:"gateway_writes"`
	Config int64 `json:"config_writes"`
}

func (o options) fillUp(ctx context.Context, client dynamic.Interface, poller *arrival.Poller) error {
	patient, end := context.WithTimeout(ctx, 2*time.Minute)
	defer end()
	counting, err := o.count(patient, client)
	if err != nil {
		return err
	}
	config, err := o.configWrites(patient, client)
	if err != nil {
		return err
	}
	start := time.Now()
	for n := o.first; n < o.first+o.number; n++ {
		if err := o.create(ctx, client, n); err != nil {
			return err
		}
	}
	created := time.Now()
	result := filled{Created: created.Sub(start).Milliseconds()}
	if !o.unserved {
		last := host(o.first + o.number - 1)
		if _, err := poller.Arrive(patient, last, map[string]int{}, func(context.Context) error { return nil }); err != nil {
			return err
		}
		result.Served = time.Since(created).Milliseconds()
	}
	if o.attached > 0 {
		at, err := counting.reaches(patient, o.attached)
		if err != nil {
			return err
		}
		result.Attached = max(0, at.Sub(created).Milliseconds())
		if err := o.told(patient, client, o.first+o.number-1); err != nil {
			return err
		}
		result.Told = time.Since(created).Milliseconds()
	}
	result.Writes, result.Config = counting.sum(), config.Load()
	return json.NewEncoder(os.Stdout).Encode(result)
}

// configWrites counts how often the ConfigMaps of the Gateway are written from now on.
func (o options) configWrites(ctx context.Context, client dynamic.Interface) (*atomic.Int64, error) {
	namespace, gateway, _ := strings.Cut(o.gateway, "/")
	label := metav1.ListOptions{LabelSelector: "gateway.networking.k8s.io/gateway-name=" + gateway}
	seen, err := client.Resource(configMaps).Namespace(namespace).Watch(ctx, label)
	if err != nil {
		return nil, err
	}
	var count atomic.Int64
	go func() {
		for event := range seen.ResultChan() {
			if event.Type == watch.Modified {
				count.Add(1)
			}
		}
	}()
	return &count, nil
}

// told waits until a route has a status. Statuses are written in the order in which they came to be.
func (o options) told(ctx context.Context, client dynamic.Interface, n int) error {
	for {
		route, err := client.Resource(routes).Namespace(o.namespace).Get(ctx, fmt.Sprintf("r%d", n), metav1.GetOptions{})
		if err != nil {
			return err
		}
		if parents, _, _ := unstructured.NestedSlice(route.Object, "status", "parents"); len(parents) > 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// attaching follows what a Gateway says of its routes.
type attaching struct {
	lock    sync.Mutex
	writes  int
	reached map[int64]time.Time
	changed chan struct{}
}

func (o options) count(ctx context.Context, client dynamic.Interface) (*attaching, error) {
	namespace, gateway, _ := strings.Cut(o.gateway, "/")
	seen, err := client.Resource(gateways).Namespace(namespace).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + gateway})
	if err != nil {
		return nil, err
	}
	a := &attaching{reached: map[int64]time.Time{}, changed: make(chan struct{}, 1)}
	go func() {
		for event := range seen.ResultChan() {
			a.take(event)
		}
	}()
	return a, nil
}

func (a *attaching) take(event watch.Event) {
	object, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	listeners, _, _ := unstructured.NestedSlice(object.Object, "status", "listeners")
	a.lock.Lock()
	defer a.lock.Unlock()
	if event.Type == watch.Modified {
		a.writes++
	}
	for _, listener := range listeners {
		if fields, ok := listener.(map[string]any); ok {
			count, _, _ := unstructured.NestedInt64(fields, "attachedRoutes")
			a.reached[count] = time.Now()
		}
	}
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

func (a *attaching) reaches(ctx context.Context, count int64) (time.Time, error) {
	for {
		a.lock.Lock()
		at, ok := a.reached[count]
		a.lock.Unlock()
		if ok {
			return at, nil
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("the Gateway never counted %d routes", count)
		case <-a.changed:
		}
	}
}

func (a *attaching) sum() int {
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.writes
}
