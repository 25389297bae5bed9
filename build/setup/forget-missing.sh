#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A stamp records that a step was done, not that its product still exists: forgets the stamps of steps
# whose result has gone, so that set-up makes it again.
set -euo pipefail

cd "$(dirname "$0")/../../.tailrace"
while read -r stamp made; do
  [ -e "$made" ] || rm -f "stamps/$stamp"
done <<'MADE'
alerting-tools bin/alertmanager
alerting-tools bin/vmalert-tool
brokeragent build/brokeragent/agent/brokeragent.jar
brokeragent build/brokeragent/shipping/shipping.jar
collector bin/tailrace-collector
go-tools bin/process-compose
go-tools bin/node_exporter
go-tools bin/victoria-metrics
go-tools bin/vmalert
golangci bin/golangci-lint
ioprobe bin/tailrace-ioprobe
java-format lib/google-java-format-all-deps.jar
kafka kafka/libs
libraries lib/libchdb.so
libraries lib/uplot
loadgen build/loadgen/loadgen.jar
migrate bin/tailrace-migrate
procprobe bin/tailrace-procprobe
venv venv/bin/tailrace
vale bin/vale
warehouse bin/tailrace-warehouse
MADE
