# SPDX-License-Identifier: Apache-2.0
# Benchmarks, which are no part of setup or test. Included by the top Makefile; see lab/bench/README.md.

BENCH := PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.pipeline

.PHONY: bench-pipeline bench-recorder bench-throughput bench-queries bench-billion bench-pages bench-storage \
  bench-overhead bench-certify bench-agent
bench-pipeline: setup $(STAMPS)/bench-emitters $(STAMPS)/bench-stock ## the event path against stock OpenTelemetry
	@$(BENCH) compare

bench-recorder: setup $(STAMPS)/bench-emitters ## what recording an event costs a Kafka callback
	@$(BENCH) recorder

bench-throughput: setup $(STAMPS)/bench-emitters ## 500,000 events/s through the whole path
	@$(BENCH) throughput

bench-queries: setup ## the query library on 100 million rows, which are made once (ROWS, CASES)
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.questions $(CASES)

bench-billion: setup ## start and report of a warehouse with a billion messages (ROWS)
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.questions.billion

bench-pages: setup ## the report of ten minutes and of 36 hours, its first paint, and explain of the ten minutes
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.questions.pages

bench-certify: setup ## all checks of a certificate, over 100 million messages in all its runs (ROWS)
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.certify

# Of the stack that is up; ARGS="--seconds 10" makes it short.
bench-overhead: setup ## CPU time that the exporters and the JMX agent of the running stack take
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.pipeline.overhead $(ARGS)

# ARGS="--pairs 1 --rounds 1" makes it short.
bench-agent: setup ## a broker's CPU time and p99 with the broker agent and without
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.agent $(ARGS)

# ARGS="--seconds 20 --rate 20000" makes it short.
bench-storage: setup ## bytes per stored row, column by column, of live runs without keys and with
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.bench.storage $(ARGS)

$(STAMPS)/bench-emitters: lab/bench/pipeline/pom.xml lab/bench/pipeline/java/pom.xml $(STAMPS)/loadgen \
    $(shell find lab/bench/pipeline/java/src -type f)
	@$(STEP) bench-emitters "build the benchmark's emitters" "read the log; $(NETWORK)" \
	  mvn -B -q -f lab/bench/pipeline/pom.xml package -Dmaven.test.skip=true

$(STAMPS)/bench-stock: lab/bench/pipeline/stock/manifest.yaml lab/bench/pipeline/stock/build.sh collector/tools/go.mod
	@$(STEP) bench-stock "build the stock collector (minutes when cold)" "read the log; $(NETWORK)" \
	  lab/bench/pipeline/stock/build.sh
