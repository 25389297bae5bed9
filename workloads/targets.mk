# SPDX-License-Identifier: Apache-2.0
# The published experiments. Included by the top Makefile; see workloads/seeds/README.md.

.PHONY: seeds-small seeds-page
seeds-small: setup ## rerun the published experiments' small forms, with verdicts (root); SEEDS='6-backlog …' for some
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=faults:cli $(VENV)/python -m faultlab seeds $(SEEDS)

seeds-page: setup ## write docs/results/published-experiments.md from the results that seeds-small has kept
	@TAILRACE_STATE=$(CURDIR)/$(HOME_DIR)/faults/state $(TAILRACE) seeds --stored --page docs/results/published-experiments.md
