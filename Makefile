# The front door. Every target has one line that tells what it does: `make` alone lists them.

.DEFAULT_GOAL := help
.PHONY: help setup build test cluster clean

help: ## list every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make this machine ready: packages, compilers, the cluster's programs (again and again if you like)
	@scripts/setup

build: setup ## compile everything, without tests
	@scripts/build

test: ## all set-up, all gates, all tests; what CI runs
	@scripts/test

cluster: setup ## bring up a Kubernetes cluster called dev on this machine
	@bin/cluster up

clean: ## remove what builds have written into this checkout (not the cache outside of it)
	@scripts/clean
