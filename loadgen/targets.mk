# SPDX-License-Identifier: Apache-2.0
# Targets of the load generator beyond its own tests. Included by the top Makefile.

.PHONY: test-workers
test-workers: setup ## four load generators as one run, against a cluster of three brokers
	@cd cli && ../$(VENV)/pytest -q -m e2e tests/e2e/test_workers.py
