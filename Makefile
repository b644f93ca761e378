# make        lists what one can do
# make demo   runs the whole lifecycle against a real Git server
# make test   runs the tests
# Both set up what is missing.

GO ?= go

.PHONY: help setup demo test bench fuzz fmt
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what is missing to build (libgit2 1.5, pkg-config)
	@sh .ci/setup

demo: setup ## run the whole lifecycle against a real Git server
	@$(GO) run ./examples/lifecycle $(ARGS)

test: ## run the tests, installing what is missing
	@sh .ci/setup test
	@test -z "$$(gofmt -l .)" || { echo "not gofmt:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) test -timeout 20m ./...

bench: setup ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

FUZZTIME ?= 20s
fuzz: setup ## run each fuzz target for FUZZTIME (20s)
	@set -e; for dir in $$($(GO) list -f '{{.Dir}}' ./...); do \
	  for name in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go 2>/dev/null | sed 's/^func //'); do \
	    echo "$$dir $$name"; $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$dir; \
	  done; done

fmt: ## format the code
	gofmt -w .
