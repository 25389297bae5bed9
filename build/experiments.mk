# SPDX-License-Identifier: Apache-2.0
# The published experiments. Included by the top Makefile; see experiments/README.md.

.PHONY: experiments-small experiments-page
experiments-small: setup ## rerun the published experiments' small forms, with verdicts (root); EXPERIMENTS='6-backlog …' for some
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.faults experiments $(EXPERIMENTS)

experiments-page: setup ## write docs/results/published-experiments.md from the results that experiments-small has kept
	@TAILRACE_STATE=$(CURDIR)/$(HOME_DIR)/faults/state $(TAILRACE) experiments --stored --page docs/results/published-experiments.md
