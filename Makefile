# The front door. Every target has one line that tells what it does: `make` alone lists them.

.DEFAULT_GOAL := help
.PHONY: help setup run build images test cluster conformance conformance-try bench-cluster bench-ghost bench-propagation bench-translate fuzz-certificates fuzz-ghost mutants-ghost mutants-translate soak-ghost test-faults test-hostile clean

help: ## list every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make this machine ready: packages, compilers, the cluster's programs (again and again if you like)
	@scripts/setup

run: ## serve examples/quickstart on port 8080 with two backends, and print requests to try; sets up what that needs
	@scripts/run

build: setup ## compile everything, without tests
	@scripts/build

images: setup ## make the container images of gateway and operator: build/images
	@scripts/images

test: ## all set-up, all gates, all tests; what CI runs
	@scripts/test

cluster: setup ## bring up a Kubernetes cluster called dev on this machine
	@bin/cluster up

conformance: setup ## run the official suite of Gateway API in a cluster of its own; writes conformance/reports
	@scripts/conformance

conformance-try: setup ## the same on a changed checkout, without a report
	@scripts/conformance --try

bench-cluster: setup ## measure the gateway in a cluster: routes from creation to first answer, CPU, memory; writes bench/results
	@scripts/bench-cluster

bench-ghost: setup ## measure the router: instructions per lookup, CPU beside a plain varnishd, reloads; writes bench/results
	@scripts/bench-ghost

bench-translate: setup ## measure what one change costs among 100 and 5,000 routes; writes bench/results
	@scripts/bench-translate

bench-propagation: setup ## measure how long a change takes from its file to the first answer, and what it disturbs; writes bench/results
	@scripts/bench-propagation

fuzz-certificates: setup ## feed changed certificates and keys to the code that reads them, for ten minutes
	@scripts/fuzz-certificates

fuzz-ghost: setup ## feed the router random tables, requests, paths and heads of upgrades, ten minutes each
	@scripts/fuzz-ghost

mutants-ghost: setup ## change the matching code in small ways and count the changes that no test notices
	@scripts/mutants-ghost

mutants-translate: setup ## change the translator in small ways and count the changes that no test notices
	@scripts/mutants-translate

soak-ghost: setup ## run the router's long tests: a quarter of an hour
	@scripts/soak-ghost

test-faults: setup ## run the long tests of the gateway in a cluster of two nodes: nodes drained, no API server, full memory, 10,000 routes: some 20 minutes
	@scripts/test-faults

test-hostile: setup ## run attacks by a neighbour, one after the other, beside an honest tenant's load: some 19 minutes
	@scripts/test-hostile

clean: ## remove what builds have written into this checkout (not the cache outside of it)
	@scripts/clean
