#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Becomes vmalert with the rules of dashboards/alerts. Firing alerts are kept in VictoriaMetrics, and sent on only when
# TAILRACE_ALERTMANAGER_URL names an Alertmanager.
# Also: TAILRACE_SLO_P99_MS (100), the latency that PublishLatencyOverSLO and AcksOverdue allow,
# for all runs alike: a plain number. TAILRACE_GRAFANA_URL, in front of links.
set -eu

export TAILRACE_SLO_P99_MS="${TAILRACE_SLO_P99_MS:-100}"
export TAILRACE_GRAFANA_URL="${TAILRACE_GRAFANA_URL:-http://127.0.0.1:3000}"
if [ -n "${TAILRACE_ALERTMANAGER_URL:-}" ]; then
  set -- "-notifier.url=$TAILRACE_ALERTMANAGER_URL"
else
  set -- -notifier.blackhole
fi
metrics="http://127.0.0.1:$VICTORIAMETRICS_PORT"

# evalDelay: by default vmalert asks for what was 30 s ago. Samples are there one second after their time.
exec "$TAILRACE_HOME/bin/vmalert" "$@" \
  "-rule=$TAILRACE_ROOT/dashboards/alerts/*.yaml" \
  "-httpListenAddr=127.0.0.1:$VMALERT_PORT" \
  "-datasource.url=$metrics" "-remoteWrite.url=$metrics" "-remoteRead.url=$metrics" \
  -rule.evalDelay=1s -remoteWrite.flushInterval=500ms -remoteRead.lookback=10m \
  -evaluationInterval=2s -loggerLevel=WARN
