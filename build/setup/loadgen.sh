#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the load generator, and the archive of classes that its JVMs start from: without it each start takes a second
# of CPU more.
set -euo pipefail
cd "$(dirname "$0")/../.."

mvn -B -q -f loadgen/pom.xml package -Dmaven.test.skip=true

built=.tailrace/build/loadgen/loadgen
rm -f "$built.jsa"
"${JAVA_HOME:+$JAVA_HOME/bin/}java" "-XX:ArchiveClassesAtExit=$built.jsa" -jar "$built.jar" plan \
  --workload workloads/smoke.yaml --driver workloads/drivers/kafka.yaml --bootstrap-servers 127.0.0.1:9092 ||
  echo "this java makes no archive of classes; the load generator starts more slowly"
