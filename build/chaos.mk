# SPDX-License-Identifier: Apache-2.0
# The chaos test. Included by the top Makefile; see lab/chaos/README.md.

.PHONY: test-chaos
test-chaos: setup $(STAMPS)/row-journal ## a quarter of an hour of killed parts under load; SEED=N repeats one, KILLS=1000 takes hours
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.chaos $(if $(SEED),--seed $(SEED)) $(if $(KILLS),--kills $(KILLS)) $(STORM)

# The short form is among the whole runs.
test test-e2e: $(STAMPS)/row-journal

$(STAMPS)/row-journal: lab/chaos/agent/pom.xml $(shell find lab/chaos/agent/src -type f) | $(STAMPS)/doctor
	@$(STEP) row-journal "build the chaos test's row journal" "read the log; $(NETWORK)" \
	  mvn -B -q -f lab/chaos/agent/pom.xml package
