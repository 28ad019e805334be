// Package loadbalancer gives addresses of a pool to Services of type LoadBalancer. That is all a load balancer
// has to do here: kube-proxy on every node answers for whatever address a Service's status carries.
package loadbalancer

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Decision is the address that a Service is to have, or why it has none.
type Decision struct {
	Service *corev1.Service
	Address netip.Addr // zero: none
	Problem *Problem
}

// Problem is told to the user as an Event.
type Problem struct {
	Reason  string
	Message string
}

// Assign decides for all Services at once. Who has an address keeps it; then come those who ask for a certain
// one, then the others, older ones first. The statuses are the only memory: nothing is lost by a restart.
func Assign(services []*corev1.Service, pool netip.Prefix) []Decision {
	ordered := slices.Clone(services)
	slices.SortFunc(ordered, byAge)
	taken := map[netip.Addr]*corev1.Service{}
	decided := map[*corev1.Service]Decision{}

	settle := func(s *corev1.Service, address netip.Addr) {
		taken[address] = s
		decided[s] = Decision{Service: s, Address: address}
	}
	for _, s := range ordered {
		if address, ok := current(s); ok && wanted(s) && keeps(s, address, pool) && taken[address] == nil {
			settle(s, address)
		}
	}
	for _, s := range ordered {
		if _, ok := decided[s]; ok || !wanted(s) || s.Spec.LoadBalancerIP == "" {
			continue
		}
		address, problem := requested(s, pool, taken)
		if problem != nil {
			decided[s] = Decision{Service: s, Problem: problem}
			continue
		}
		settle(s, address)
	}
	next := pool.Masked().Addr().Next()
	for _, s := range ordered {
		if _, ok := decided[s]; ok || !wanted(s) {
			continue
		}
		for usable(next, pool) && taken[next] != nil {
			next = next.Next()
		}
		if !usable(next, pool) {
			decided[s] = Decision{Service: s, Problem: &Problem{
				"AddressPoolExhausted", fmt.Sprintf("every address of %s is in use", pool)}}
			continue
		}
		settle(s, next)
	}
	decisions := make([]Decision, 0, len(ordered))
	for _, s := range ordered {
		d, ok := decided[s]
		if !ok {
			d = Decision{Service: s}
		}
		decisions = append(decisions, d)
	}
	return decisions
}

func byAge(a, b *corev1.Service) int {
	return cmp.Or(
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Name, b.Name),
	)
}

// wanted tells whether the Service is to have an address from us. One with a class is another controller's.
func wanted(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.LoadBalancerClass == nil && s.DeletionTimestamp == nil
}

// ours tells whether we may change the Service's status.
func ours(s *corev1.Service, pool netip.Prefix) bool {
	address, ok := current(s)
	return wanted(s) || (ok && pool.Contains(address) && s.Spec.LoadBalancerClass == nil)
}

func current(s *corev1.Service) (netip.Addr, bool) {
	for _, ingress := range s.Status.LoadBalancer.Ingress {
		if address, err := netip.ParseAddr(ingress.IP); err == nil {
			return address, true
		}
	}
	return netip.Addr{}, false
}

func keeps(s *corev1.Service, address netip.Addr, pool netip.Prefix) bool {
	return usable(address, pool) && (s.Spec.LoadBalancerIP == "" || s.Spec.LoadBalancerIP == address.String())
}

func requested(s *corev1.Service, pool netip.Prefix, taken map[netip.Addr]*corev1.Service) (netip.Addr, *Problem) {
	address, err := netip.ParseAddr(s.Spec.LoadBalancerIP)
	if err != nil {
		return address, &Problem{"AddressInvalid", fmt.Sprintf("loadBalancerIP %q is not an IP address", s.Spec.LoadBalancerIP)}
	}
	if !usable(address, pool) {
		return address, &Problem{"AddressOutsidePool", fmt.Sprintf("loadBalancerIP %s is not an address of the pool %s", address, pool)}
	}
	if holder := taken[address]; holder != nil {
		return address, &Problem{"AddressInUse", fmt.Sprintf("loadBalancerIP %s belongs to Service %s/%s", address, holder.Namespace, holder.Name)}
	}
	return address, nil
}

// usable excludes the network's own address and its broadcast address.
func usable(address netip.Addr, pool netip.Prefix) bool {
	return pool.Contains(address) && address != pool.Masked().Addr() && pool.Contains(address.Next())
}
