# SPDX-License-Identifier: Apache-2.0
# Targets of the load generator beyond its own tests. Included by the top Makefile.

.PHONY: test-workers
test-workers: setup ## four load generators as one run, against a cluster of three brokers
	@$(VENV)/pytest -q -m e2e lab/e2e/test_workers.py

.PHONY: schema
schema: ## write workloads/schema/*.json and the table of keys from the keys that the load generator declares
	@mvn -B -q -f loadgen/pom.xml test -Dtest=SchemaTest -Dtailrace.schema.write=true

# ARGS="--soak 30" watches memory for 30 minutes instead.
.PHONY: bench-loadgen
bench-loadgen: setup $(STAMPS)/bench-emitters $(STAMPS)/bench-perf-test ## beside kafka-producer-perf-test, and beside itself unrecorded
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.loadgen $(ARGS)

$(STAMPS)/bench-perf-test: lab/bench/loadgen/pom.xml | $(STAMPS)/doctor
	@$(STEP) bench-perf-test "download kafka-producer-perf-test" "$(NETWORK)" \
	  mvn -B -q -f lab/bench/loadgen/pom.xml package
