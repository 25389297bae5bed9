# SPDX-License-Identifier: Apache-2.0
# The front door. `make` lists what it does; everything built lands in .tailrace/.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help

HOME_DIR := .tailrace
STAMPS := $(HOME_DIR)/stamps
BIN := $(CURDIR)/$(HOME_DIR)/bin
VENV := $(HOME_DIR)/venv/bin
TAILRACE := $(VENV)/tailrace
STEP := build/setup/step.sh
GO_FLAGS := -buildvcs=false -trimpath -ldflags='-s -w'

# Pure Go everywhere: no C compiler is needed.
export CGO_ENABLED := 0

go-sources = $(shell find $(1) -type f \( -name '*.go' -o -name 'go.*' -o -name '*.sql' -o -name '*.yaml' -o -name '*.tsv' -o -name '*.txt' \))
NETWORK := check the network, then run the same command again; finished steps are kept

## -- for users

.PHONY: help demo setup up down status doctor
help: ## list the targets
	@awk -F ':.*## ' '/^## -- /{printf "\n%s\n", substr($$0, 7)} \
	  /^[a-z0-9-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: setup ## set up, start the stack, run the demo benchmark, show the result; BROKERS=3 for a cluster
	@$(TAILRACE) demo $(if $(BROKERS),--brokers $(BROKERS))

setup: ## build and download everything into .tailrace/ (only what has changed)
	@mkdir -p $(HOME_DIR)
	@build/setup/forget-missing.sh
	@flock $(HOME_DIR)/setup.lock $(MAKE) -j$$(nproc) setup-steps

up: setup ## start the one-machine stack; BROKERS=3 for a cluster
	@$(TAILRACE) up $(if $(BROKERS),--brokers $(BROKERS))

down: ## stop the stack; nothing stays behind
	@if [ -x $(TAILRACE) ]; then $(TAILRACE) down; else echo "Not set up, so nothing runs"; fi

status: ## show the stack's processes
	@if [ -x $(TAILRACE) ]; then $(TAILRACE) status; else echo "Not set up; run make setup"; exit 1; fi

doctor: ## name what is missing on this machine
	@command -v python3 >/dev/null || { echo "missing  python3 3.11 or newer: apt install python3 python3-venv"; exit 2; }
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=cli python3 -m tailrace.stack.doctor

## -- for developers

.PHONY: test clean reset
test: check ## everything: check, then all tests
	@python3 build/checks/suites.py

.PHONY: $(addprefix test-,java go python e2e)
test-java: setup ## the load generator's tests
	@python3 build/checks/suites.py java

test-go: setup ## tests of collector, warehouse, schemas and probes
	@python3 build/checks/suites.py go

test-python: setup ## Python tests of every room: command, queries, report, dashboards, lab
	@python3 build/checks/suites.py python

test-e2e: setup ## whole runs on the real stack
	@python3 build/checks/suites.py e2e

# Programs that some tests are skipped without; tried once.
test test-python test-ansible: $(STAMPS)/test-programs
$(STAMPS)/test-programs: build/setup/test-programs.sh | $(STAMPS)/doctor
	@$(STEP) test-programs "install kcat, fio and Chromium where apt may" "" build/setup/test-programs.sh

include build/*.mk

clean: down ## remove everything that set-up built; stored runs stay
	@if [ -d $(HOME_DIR) ]; then \
	  find $(HOME_DIR) -mindepth 1 -maxdepth 1 ! -name state -exec chmod -R u+w {} + -exec rm -rf {} +; fi

reset: ## stop the stack and delete its data: every stored run is gone
	@if [ -x $(TAILRACE) ]; then $(TAILRACE) reset --yes; else echo "Not set up; run make setup"; fi

# -- set-up, one stamp per step; build/setup/step.sh writes them

.PHONY: setup-steps
setup-steps: $(addprefix $(STAMPS)/,collector libraries go-tools kafka loadgen brokeragent venv migrate warehouse ioprobe procprobe) ; @:

# The longest first, a download beside it. Everything waits for the doctor, and asks it once.
$(STAMPS)/doctor: cli/tailrace/stack/doctor.py
	@command -v python3 >/dev/null || { echo "missing  python3 3.11 or newer: apt install python3 python3-venv"; exit 2; }
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=cli python3 -m tailrace.stack.doctor --tools
	@echo "Setting up in $(HOME_DIR)/; logs in $(HOME_DIR)/logs-setup/"
	@mkdir -p $(@D) && touch $@

$(STAMPS)/go-tools: stack/tools/go.mod stack/tools/go.sum build/setup/go-tools.sh | $(STAMPS)/doctor
	@$(STEP) go-tools "build process-compose, node_exporter, VictoriaMetrics" "$(NETWORK)" \
	  build/setup/go-tools.sh stack/tools

$(STAMPS)/libraries: build/setup/package.json build/setup/package-lock.json build/setup/libraries.sh | $(STAMPS)/doctor
	@$(STEP) libraries "download the ClickHouse engine (178 MB) and uPlot" "$(NETWORK)" build/setup/libraries.sh

$(STAMPS)/kafka: stack/kafka/pom.xml build/setup/kafka.sh | $(STAMPS)/doctor
	@$(STEP) kafka "download the Kafka broker" "$(NETWORK)" build/setup/kafka.sh

$(STAMPS)/warehouse: $(call go-sources,warehouse) | $(STAMPS)/doctor
	@$(STEP) warehouse "build tailrace-warehouse" "read the log; $(NETWORK)" \
	  go -C warehouse build $(GO_FLAGS) -o $(BIN)/tailrace-warehouse ./cmd/tailrace-warehouse

$(STAMPS)/migrate: $(call go-sources,schemas) | $(STAMPS)/doctor
	@$(STEP) migrate "build tailrace-migrate" "read the log; $(NETWORK)" \
	  go -C schemas build $(GO_FLAGS) -o $(BIN)/tailrace-migrate ./cmd/tailrace-migrate

$(STAMPS)/ioprobe: $(call go-sources,probes) probes/ioprobe/bpf/ioprobe.bpf.o | $(STAMPS)/doctor
	@$(STEP) ioprobe "build tailrace-ioprobe" "read the log; $(NETWORK)" \
	  go -C probes build $(GO_FLAGS) -o $(BIN)/tailrace-ioprobe ./ioprobe

$(STAMPS)/procprobe: $(call go-sources,probes) | $(STAMPS)/doctor
	@$(STEP) procprobe "build tailrace-procprobe" "read the log; $(NETWORK)" \
	  go -C probes build $(GO_FLAGS) -o $(BIN)/tailrace-procprobe ./procprobe

$(STAMPS)/collector: $(call go-sources,collector) collector/build.sh | $(STAMPS)/doctor
	@$(STEP) collector "build the OpenTelemetry collector" "read the log; $(NETWORK)" collector/build.sh

$(STAMPS)/loadgen: build/setup/loadgen.sh loadgen/pom.xml $(shell find loadgen/src/main -type f) | $(STAMPS)/doctor
	@$(STEP) loadgen "build the load generator" "read the log; $(NETWORK)" build/setup/loadgen.sh

# Built with the load generator's sources, whose packages it ships rows with; so after it, not beside it.
$(STAMPS)/brokeragent: $(STAMPS)/loadgen $(wildcard probes/brokeragent/pom.xml probes/brokeragent/*/pom.xml) \
    $(shell find probes/brokeragent/*/src/main -type f)
	@$(STEP) brokeragent "build the broker agent" "read the log; $(NETWORK)" \
	  mvn -B -q -f probes/brokeragent/pom.xml package -Dmaven.test.skip=true

$(STAMPS)/venv: cli/pyproject.toml cli/requirements.lock build/setup/venv.sh | $(STAMPS)/doctor
	@$(STEP) venv "install the tailrace command" "apt install python3-venv; $(NETWORK)" build/setup/venv.sh
