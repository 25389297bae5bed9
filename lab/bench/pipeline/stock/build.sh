#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds .tailrace/bin/stock-collector, the other side of `make bench-pipeline`. Minutes when cold.
set -euo pipefail

cd "$(dirname "$0")"
root=$(cd ../../../.. && pwd)
mkdir -p "$root/.tailrace/build/bench" "$root/.tailrace/bin"
builder=$(go -C "$root/collector/tools" tool -n builder)
"$builder" --config manifest.yaml --skip-compilation
CGO_ENABLED=0 go -C "$root/.tailrace/build/bench/stock-collector" build -buildvcs=false -trimpath \
    -ldflags='-s -w' -o "$root/.tailrace/bin/stock-collector" .
