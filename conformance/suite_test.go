//go:build integration

package conformance

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

// Against whatever cluster KUBECONFIG names; the flags are the suite's own.
func TestConformance(t *testing.T) {
	conformance.RunConformance(t)
}
