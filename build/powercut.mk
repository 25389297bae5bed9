# SPDX-License-Identifier: Apache-2.0
# The power-cut test. Included by the top Makefile; see lab/powercut/README.md.

.PHONY: test-powercut
test-powercut: setup ## spool and warehouse on a drive that loses power under load (root); SEED=N repeats one, CUTS=20
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.powercut $(if $(SEED),--seed $(SEED)) $(if $(CUTS),--cuts $(CUTS))
