# SPDX-License-Identifier: Apache-2.0
# The published experiments. Included by the top Makefile; see workloads/seeds/README.md.

.PHONY: seeds-small
seeds-small: setup ## rerun the published experiments' small forms, with verdicts (root); SEEDS='6-backlog …' for some
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=faults:cli $(VENV)/python -m faultlab seeds $(SEEDS)
