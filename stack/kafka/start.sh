#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the broker's certificate and formats its folder, once each, then becomes the broker.
# Environment: KAFKA_HOME (jars), KAFKA_JMX_PORT, KAFKA_CLUSTER_ID, TAILRACE_STATE and the ports of
# server.properties. Of several brokers also KAFKA_BROKER_ID, this one's number, and KAFKA_VOTERS, all controllers.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
log4j="-Dlog4j2.configurationFile=$here/log4j2.yaml"
broker="broker${KAFKA_BROKER_ID:+-$KAFKA_BROKER_ID}"
run="$TAILRACE_STATE/run/$broker"
mkdir -p "$run"

if [ -z "${KAFKA_BROKER_ID:-}" ]; then
  export KAFKA_BROKER_ID=1 KAFKA_VOTERS="1@127.0.0.1:$KAFKA_CONTROLLER_PORT" KAFKA_LOG="$TAILRACE_STATE/data/kafka"
  formatted="$TAILRACE_STATE/data/kafka.formatted"
  settings="$here/server.properties"
  heap="-Xms256m -Xmx512m"
else
  # A file of its own name: by it procprobe knows which broker a process is. The later of two lines counts.
  export KAFKA_LOG="$TAILRACE_STATE/data/brokers/$KAFKA_BROKER_ID/log"
  formatted="$TAILRACE_STATE/data/brokers/$KAFKA_BROKER_ID/formatted"
  settings="$run/server.properties"
  cat "$here/server.properties" "$here/three/cluster.properties" >"$settings"
  heap="-Xms192m -Xmx384m"
fi

# shellcheck source=stack/kafka/certificate.sh
. "$here/certificate.sh"
own_certificate
KAFKA_KEYSTORE_PASSWORD=$(cat "$TAILRACE_STATE/secrets/kafka-tls/password")
export KAFKA_KEYSTORE_PASSWORD

# The mark is written last, so an interrupted format is simply done again.
if [ ! -e "$formatted" ]; then
  "$java" -Xmx128m -XX:TieredStopAtLevel=1 "$log4j" -cp "$KAFKA_HOME/libs/*" kafka.tools.StorageTool format \
    --ignore-formatted --cluster-id "$KAFKA_CLUSTER_ID" --config "$settings"
  : >"$formatted"
fi

# shellcheck source=stack/kafka/cgroup.sh
. "$here/cgroup.sh"
# Not in a subshell: it is this process that moves.
own_cgroup "$broker" >"$run-cgroup.txt"
if [ -s "$run-cgroup.txt" ]; then
  echo "the broker's own pressure is not measured: $(cat "$run-cgroup.txt")"
fi

# shellcheck source=stack/kafka/agent.sh
. "$here/agent.sh"
agent=$(broker_agent)

# Kafka's own G1 settings (bin/kafka-run-class.sh) with a heap that leaves a small machine its page cache.
# shellcheck disable=SC2086  # heap is two words
exec "$java" $heap -server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 \
  -XX:InitiatingHeapOccupancyPercent=35 -XX:+ExplicitGCInvokesConcurrent -Djava.awt.headless=true "$log4j" ${agent:+"$agent"} \
  -javaagent:"$KAFKA_HOME/jmx_prometheus_javaagent.jar=127.0.0.1:$KAFKA_JMX_PORT:$here/jmx.yml" \
  -cp "$KAFKA_HOME/libs/*" kafka.Kafka "$settings"
