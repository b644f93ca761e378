# make        lists what one can do
# make demo   runs the whole lifecycle against a real Git server
# make test   runs the tests
# Both set up what is missing.

GO ?= go

.PHONY: help setup programs demo test check lint cross race vuln bench fuzz fmt
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what is missing to build (libgit2 1.5, pkg-config)
	@sh .ci/setup

PROGRAMS ?= prepare agent safeoutputs persist plan apply explore migrate verify jobs
programs: setup ## build the programs of the jobs, or PROGRAMS, into bin
	$(GO) build -trimpath -o bin/ $(addprefix ./examples/,$(filter-out agent,$(PROGRAMS)))
	$(if $(filter agent,$(PROGRAMS)),$(GO) -C examples/agent build -trimpath -o ../../bin/agent .)

demo: setup ## run the whole lifecycle against a real Git server
	@$(GO) run ./examples/lifecycle $(ARGS)

test: ## run the tests, installing what is missing
	@sh .ci/setup test
	@test -z "$$(gofmt -l .)" || { echo "not gofmt:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) run ./internal/conformance/prove -timeout 20m ./...
	$(GO) -C examples/agent vet ./...
	$(GO) -C examples/agent test ./...

# The cross-builds of the library and the check that each exported name has a
# comment are tests (internal/conformance), so test runs them as well.
check: test lint cross race fuzz vuln ## all of it: tests, linters, other systems, race detector, fuzzing, vulnerabilities

STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
lint: setup ## run staticcheck
	$(GO) run $(STATICCHECK) ./...
	$(GO) -C examples/agent run $(STATICCHECK) ./...

# What builds without cgo, with its tests, where nobody runs them in CI.
PORTABLE = ./record ./shard ./shard/branchtest ./ledger ./replay ./txn ./compact/...
cross: ## vet the portable packages for macOS and Windows
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) vet $(PORTABLE)
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) vet $(PORTABLE)

# The race detector and the fuzzer need builds of their own, of SQLite as well,
# which takes a minute and more unless it is left unoptimised.
race fuzz: export CGO_CFLAGS = -g -O0

race: setup ## run the tests with the race detector, the longest loops shortened
	$(GO) test -race -short -timeout 20m ./...
	$(GO) -C examples/agent test -race -timeout 10m ./...

# Fails on what govulncheck finds (its exit code 3), not when it cannot look.
GOVULNCHECK ?= golang.org/x/vuln/cmd/govulncheck@v1.9.0
vuln: setup ## look for known vulnerabilities, where their database can be reached
	@bin=$$(mktemp -d); trap 'rm -rf "$$bin"' EXIT; code=1; \
	if GOBIN=$$bin $(GO) install $(GOVULNCHECK); then code=0; $$bin/govulncheck ./... || code=$$?; fi; \
	case $$code in \
	  0) ;; \
	  3) exit 1 ;; \
	  *) echo "*** NOT CHECKED FOR KNOWN VULNERABILITIES: govulncheck or its database cannot be reached ***" >&2 ;; \
	esac

bench: setup ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

FUZZTIME ?= 20s
FUZZERS ?= 2
fuzz: setup ## run each fuzz target for FUZZTIME (20s), FUZZERS (2) at a time
	@for dir in $$($(GO) list -f '{{.Dir}}' ./...); do \
	  for name in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go 2>/dev/null | sed 's/^func //'); do \
	    echo "$$name $$dir"; \
	  done; done | xargs -P $(FUZZERS) -L 1 sh -c 'echo "$$0 $$1"; \
	    exec $(GO) test -run "^$$" -fuzz "^$$0$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x -parallel 1 "$$1"'

fmt: ## format the code
	gofmt -w .
