# SPDX-License-Identifier: Apache-2.0
# The chaos test. Included by the top Makefile; see chaos/README.md.

.PHONY: test-chaos
test-chaos: setup $(STAMPS)/row-journal ## a quarter of an hour of killed parts under load; SEED=N repeats one
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=chaos:cli $(VENV)/python -m storm $(if $(SEED),--seed $(SEED)) $(STORM)

# The short form is among the whole runs.
test test-e2e: $(STAMPS)/row-journal

$(STAMPS)/row-journal: chaos/agent/pom.xml $(shell find chaos/agent/src -type f) | $(STAMPS)/doctor
	@$(STEP) row-journal "build the chaos test's row journal" "read the log; $(NETWORK)" \
	  mvn -B -q -f chaos/agent/pom.xml package
