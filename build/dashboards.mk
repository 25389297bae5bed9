# SPDX-License-Identifier: Apache-2.0
# Dashboards, alert rules and the metrics they rest on. Included by the top Makefile.

BOARDS := PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=dashboards:cli $(VENV)/python -m boards
METRICS_CATALOGUE := cd cli && PYTHONDONTWRITEBYTECODE=1 ../$(VENV)/python -m tailrace.metrics.catalogue

.PHONY: dashboards metrics-catalogue test-alerts bench-alerts test-dashboards
dashboards: setup ## write dashboards/json and Grafana's alert rules from dashboards/boards
	@$(BOARDS)

test-dashboards: setup ## our rules for dashboards, and every query of theirs as Grafana would run it
	@PYTHONDONTWRITEBYTECODE=1 $(VENV)/pytest -q dashboards/tests --ignore dashboards/tests/alerts
	@cd dashboards/proof && go test -count=1 ./...

metrics-catalogue: setup ## write docs/METRICS.md from contracts/metrics.yaml
	@$(METRICS_CATALOGUE)

test-alerts: setup $(STAMPS)/alerting-tools ## the alert rules' unit tests, and delivery through a real Alertmanager
	@PYTHONDONTWRITEBYTECODE=1 $(VENV)/pytest -q dashboards/tests/alerts

# Shown even if they pass (-rP): the figures are what it is run for.
bench-alerts: setup $(STAMPS)/alerting-tools ## seconds from a breach of the SLO to a webhook
	@PYTHONDONTWRITEBYTECODE=1 $(VENV)/pytest -q -rP dashboards/tests/alerts/test_delivery.py

# The unit tester and Alertmanager are for tests only, so not part of setup.
test test-python: $(STAMPS)/alerting-tools
$(STAMPS)/alerting-tools: build/alerting/go.mod build/alerting/go.sum build/setup/go-tools.sh | $(STAMPS)/doctor
	@$(STEP) alerting-tools "build vmalert-tool and Alertmanager" "$(NETWORK)" build/setup/go-tools.sh build/alerting
