package loadbalancer

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
)

const retryAfter = time.Second

// Controller keeps the statuses of all Services as Assign decides.
type Controller struct {
	Client kubernetes.Interface
	Events record.EventRecorder
	Pool   netip.Prefix
	Log    func(format string, args ...any)
}

// Run works until the context ends.
func (c *Controller) Run(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	services := factory.Core().V1().Services()
	// One slot: whatever changes while a pass runs is covered by the next one.
	dirty := make(chan struct{}, 1)
	mark := func() {
		select {
		case dirty <- struct{}{}:
		default:
		}
	}
	_, err := services.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { mark() },
		UpdateFunc: func(any, any) { mark() },
		DeleteFunc: func(any) { mark() },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	mark()
	told := map[types.UID]Problem{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-dirty:
		}
		known, err := services.Lister().List(labels.Everything())
		if err != nil {
			return err
		}
		if !c.settle(ctx, known, told) {
			time.AfterFunc(retryAfter, mark)
		}
	}
}

// settle writes what differs from the decisions, and tells each problem once. It reports whether all writes went through.
func (c *Controller) settle(ctx context.Context, known []*corev1.Service, told map[types.UID]Problem) bool {
	alive := map[types.UID]bool{}
	done := true
	for _, decision := range Assign(known, c.Pool) {
		service := decision.Service
		alive[service.UID] = true
		if decision.Problem == nil {
			delete(told, service.UID)
		} else if told[service.UID] != *decision.Problem {
			told[service.UID] = *decision.Problem
			c.Events.Event(service, corev1.EventTypeWarning, decision.Problem.Reason, decision.Problem.Message)
		}
		if !ours(service, c.Pool) {
			continue
		}
		if err := c.write(ctx, decision); err != nil && !apierrors.IsNotFound(err) {
			c.Log("%s/%s: %v", service.Namespace, service.Name, err)
			done = false
		}
	}
	for uid := range told {
		if !alive[uid] {
			delete(told, uid)
		}
	}
	return done
}

func (c *Controller) write(ctx context.Context, decision Decision) error {
	want := corev1.LoadBalancerStatus{}
	if decision.Address.IsValid() {
		mode := corev1.LoadBalancerIPModeVIP
		want.Ingress = []corev1.LoadBalancerIngress{{IP: decision.Address.String(), IPMode: &mode}}
	}
	if slices.EqualFunc(want.Ingress, decision.Service.Status.LoadBalancer.Ingress, sameIngress) {
		return nil
	}
	changed := decision.Service.DeepCopy()
	changed.Status.LoadBalancer = want
	_, err := c.Client.CoreV1().Services(changed.Namespace).UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	c.Log("%s/%s: %s", changed.Namespace, changed.Name, describe(decision))
	if decision.Address.IsValid() {
		c.Events.Event(changed, corev1.EventTypeNormal, "AddressAssigned", decision.Address.String())
	}
	return nil
}

func sameIngress(a, b corev1.LoadBalancerIngress) bool {
	return a.IP == b.IP && a.Hostname == b.Hostname
}

func describe(d Decision) string {
	switch {
	case d.Address.IsValid():
		return "has " + d.Address.String()
	case d.Problem != nil:
		return fmt.Sprintf("has no address: %s", d.Problem.Message)
	}
	return "gave its address back"
}
