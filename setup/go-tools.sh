#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the programs of stack/tools/go.mod's tool list into .tailrace/bin, at the versions pinned there.
set -euo pipefail

cd "$(dirname "$0")/../stack/tools"
bin=$(cd ../.. && pwd)/.tailrace/bin
go list -f '{{.ImportPath}}' tool | while read -r package; do
  go build -buildvcs=false -trimpath -ldflags='-s -w' -o "$bin/${package##*/}" "$package"
done
