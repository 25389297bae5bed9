# SPDX-License-Identifier: Apache-2.0
# The audit test. Included by the top Makefile; see lab/audit/README.md.

.PHONY: test-audit
test-audit: setup ## under ten minutes: each anomaly is planted once in a real run, and the audit must find it; CASES=unread for some
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.:cli $(VENV)/python -m lab.audit $(CASES)
