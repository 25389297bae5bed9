# SPDX-License-Identifier: Apache-2.0
# The fault lab. Included by the top Makefile; see lab/faults/README.md.

FAULTLAB := PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.faults

.PHONY: faults faults-clean
faults: setup ## inject faults of all kinds, score tailrace explain on them (root); LAB='…' adds options
	@$(FAULTLAB) run $(if $(LAB),$(LAB),--quiet 10)

faults-clean: ## put back what a fault lab that was killed has left
	@if [ -x $(VENV)/python ]; then $(FAULTLAB) clean; else echo "Not set up, so nothing is left"; fi
