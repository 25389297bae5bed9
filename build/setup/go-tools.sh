#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# go-tools.sh MODULE…: builds the programs of each module's tool list into .tailrace/bin, at the versions pinned there.
set -euo pipefail

cd "$(dirname "$0")/../.."
bin=$PWD/.tailrace/bin
for module; do
  go -C "$module" list -f '{{.ImportPath}}' tool | while read -r package; do
    go -C "$module" build -buildvcs=false -trimpath -ldflags='-s -w' -o "$bin/${package##*/}" "$package"
  done
done
