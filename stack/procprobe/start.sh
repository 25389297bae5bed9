#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Becomes procprobe. The patterns name what a run consists of, and only processes of this stack count.
# Each of several brokers is a group, broker-1 and so on: victoriametrics/scrape.yml makes that the label `broker`.
set -eu

if [ "${KAFKA_BROKERS:-1}" = 1 ]; then
  set -- "--process=broker= kafka[.]Kafka " "--pressure=broker=$TAILRACE_STATE/run/broker"
else
  set --
  for id in $(seq "$KAFKA_BROKERS"); do
    set -- "$@" "--process=broker-$id= kafka[.]Kafka .*/run/broker-$id/server" "--pressure=broker-$id=$TAILRACE_STATE/run/broker-$id"
  done
fi
exec "$TAILRACE_HOME/bin/tailrace-procprobe" "--listen=127.0.0.1:$PROCPROBE_PORT" \
  "--environ=TAILRACE_STACK=$TAILRACE_STATE" "$@" \
  "--process=loadgen=loadgen-[0-9.]+[.]jar" \
  "--process=collector=/tailrace-collecto[r] " \
  "--process=warehouse=/tailrace-warehous[e] " \
  "--process=victoria-metrics=/victoria-metric[s] " \
  "--process=exporters=/(node_exporter|tailrace-ioprobe|tailrace-procprobe) "
