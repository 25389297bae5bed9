#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the broker's certificate and formats its folder, once each, then becomes the broker.
# Environment: KAFKA_HOME (jars), KAFKA_JMX_PORT, KAFKA_CLUSTER_ID, TAILRACE_STATE and the ports of
# server.properties.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
formatted="$TAILRACE_STATE/data/kafka.formatted"

# shellcheck source=stack/kafka/certificate.sh
. "$here/certificate.sh"
own_certificate
KAFKA_KEYSTORE_PASSWORD=$(cat "$TAILRACE_STATE/secrets/kafka-tls/password")
export KAFKA_KEYSTORE_PASSWORD

# The mark is written last, so an interrupted format is simply done again.
if [ ! -e "$formatted" ]; then
  "$java" -Xmx128m -XX:TieredStopAtLevel=1 -Dlog4j2.configurationFile="$here/log4j2.yaml" \
    -cp "$KAFKA_HOME/libs/*" kafka.tools.StorageTool format \
    --ignore-formatted --cluster-id "$KAFKA_CLUSTER_ID" --config "$here/server.properties"
  : >"$formatted"
fi

# shellcheck source=stack/kafka/cgroup.sh
. "$here/cgroup.sh"
# Not in a subshell: it is this process that moves.
own_cgroup >"$TAILRACE_STATE/run/broker-cgroup.txt"
if [ -s "$TAILRACE_STATE/run/broker-cgroup.txt" ]; then
  echo "the broker's own pressure is not measured: $(cat "$TAILRACE_STATE/run/broker-cgroup.txt")"
fi

# Kafka's own G1 settings (bin/kafka-run-class.sh) with a heap that leaves a small machine its page cache.
exec "$java" -Xms256m -Xmx512m -server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 \
  -XX:InitiatingHeapOccupancyPercent=35 -XX:+ExplicitGCInvokesConcurrent -Djava.awt.headless=true \
  -Dlog4j2.configurationFile="$here/log4j2.yaml" \
  -javaagent:"$KAFKA_HOME/jmx_prometheus_javaagent.jar=127.0.0.1:$KAFKA_JMX_PORT:$here/jmx.yml" \
  -cp "$KAFKA_HOME/libs/*" kafka.Kafka "$here/server.properties"
