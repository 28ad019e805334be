// Package conformance runs the official suite of Gateway API. It is a module of its own because the suite needs a newer Go than the rest.
package conformance
