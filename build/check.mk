# SPDX-License-Identifier: Apache-2.0
# Formatters, linters, types, import rules. Included by the top Makefile; `make check` runs all, two at a time.

GO_MODULES := collector/exporter/blockexporter warehouse schemas probes dashboards/proof
CHECKS := contracts house python types prose shell ansible go java queries
RUFF := $(VENV)/ruff
RUFF_OPTIONS := -q --config build/ruff.toml
MYPY := $(VENV)/mypy --strict --cache-dir .tailrace/build/mypy --python-version 3.11
YAML_RULES := {extends: default, rules: {line-length: {max: 120}, document-start: disable, \
  braces: {max-spaces-inside: 1}}}
SHELL_SCRIPTS = $(shell git ls-files --cached --others --exclude-standard '*.sh') .ci/run

.PHONY: check contracts figures $(addprefix check-,$(CHECKS))
check: setup ## formatters, linters, types, import rules
	@$(MAKE) --output-sync=target -j$$(nproc) $(addprefix check-,$(CHECKS))
	@echo "check: all clean"

check-contracts: # everything generated from contracts/ is current
	@$(VENV)/python build/contracts --check
	@python3 build/figures.py --check
	@$(METRICS_CATALOGUE) --check

check-house: # the rules that no linter knows: sizes, names, links, licences, imports between rooms
	@python3 build/checks/house.py
	@python3 build/checks/third_party.py
	@python3 build/checks/methodology.py
	@python3 build/checks/links.py
	@python3 build/checks/imports.py

check-python:
	@RUFF_CACHE_DIR=.tailrace/build/ruff $(RUFF) check $(RUFF_OPTIONS) .
	@RUFF_CACHE_DIR=.tailrace/build/ruff $(RUFF) format $(RUFF_OPTIONS) --check .

check-types:
	@cd cli && ../$(VENV)/mypy
	@MYPYPATH=.:cli $(MYPY) --exclude '/(tests|e2e)/' -p lab
	@MYPYPATH=dashboards:cli $(MYPY) -p boards
	@MYPYPATH=build/contracts $(MYPY) build/contracts/*.py
	@cd cli && ../$(VENV)/lint-imports --no-cache | sed -n '/BROKEN/,$$p'
	@$(BOARDS) --check

check-prose: $(STAMPS)/vale # plain English in Markdown, comments and docstrings
	@python3 build/checks/prose.py

check-shell:
	@$(VENV)/yamllint --strict -d '$(YAML_RULES)' stack workloads experiments collector lab dashboards .golangci.yml
	@$(VENV)/shellcheck $(SHELL_SCRIPTS)

# One run over all modules: separate runs would load and analyse their common dependencies again.
check-go: $(STAMPS)/golangci
	@mkdir -p .tailrace/build/lint && cd .tailrace/build/lint && rm -f go.work && go work init $(GO_MODULES:%=../../../%)
	@GOWORK=$(CURDIR)/.tailrace/build/lint/go.work $(BIN)/golangci-lint run $(GO_MODULES:%=./%/...)

# Java programs of one file, which no Maven module has.
SINGLE_JAVA = ansible/tests/cluster/Replicas.java cli/tailrace/certify/ClusterAdmin.java experiments/feldera/Topics.java \
  lab/chaos/reader/LogReader.java lab/faults/client/FaultClient.java $(wildcard lab/audit/kafkaproxy/*.java)
check-java: $(STAMPS)/java-format
	@java -jar .tailrace/lib/google-java-format-all-deps.jar --dry-run --set-exit-if-changed $(SINGLE_JAVA)
	@mvn -B -q -f loadgen/pom.xml spotless:check test -Dtest=ArchitectureTest,SchemaTest
	@mvn -B -q -f lab/bench/pipeline/java/pom.xml spotless:check
	@mvn -B -q -f lab/chaos/agent/pom.xml spotless:check
	@mvn -B -q -f probes/brokeragent/agent/pom.xml spotless:check
	@mvn -B -q -f probes/brokeragent/shipping/pom.xml spotless:check

check-queries: # views only, headers true; test-python also asks each query what its header allows
	@$(VENV)/pytest -q -k "not takes" queries/tests/test_query_files.py

contracts: setup ## write what is generated from contracts/: constants, SQL, tables in documents
	@$(VENV)/python build/contracts

figures: ## insert benchmark figures from docs/results into the documents
	@python3 build/figures.py

# The linters are needed by `make check` only, so they are not part of setup.
$(STAMPS)/golangci: build/golangci/go.mod build/golangci/go.sum | $(STAMPS)/doctor
	@$(STEP) golangci "build golangci-lint" "$(NETWORK)" build/setup/go-tools.sh build/golangci

# Vale's parsers are C.
$(STAMPS)/vale: build/vale/go.mod build/vale/go.sum | $(STAMPS)/doctor
	@CGO_ENABLED=1 $(STEP) vale "build Vale, the prose linter" "apt install gcc; $(NETWORK)" build/setup/go-tools.sh build/vale

$(STAMPS)/java-format: build/check.mk | $(STAMPS)/doctor
	@$(STEP) java-format "download google-java-format" "$(NETWORK)" mvn -B -q dependency:copy \
	  -Dartifact=com.google.googlejavaformat:google-java-format:1.28.0:jar:all-deps \
	  -DoutputDirectory=.tailrace/lib -Dmdep.stripVersion=true
