#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches the broker's jars from Maven Central, as stack/kafka/pom.xml pins them, into .tailrace/kafka.
set -euo pipefail

cd "$(dirname "$0")/../.."
# Jars of an earlier version would share the class path with the new ones.
rm -rf .tailrace/kafka/libs
mvn -B -q -f stack/kafka/pom.xml package
