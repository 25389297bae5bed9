#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches the files of build/setup/package.json from npm, checked against the lock's hashes, and moves the
# few that are used into .tailrace/lib.
set -euo pipefail

cd "$(dirname "$0")"
home=$(cd ../.. && pwd)/.tailrace
work=$home/build/npm
rm -rf "$work"
mkdir -p "$work" "$home/lib/uplot"
cp package.json package-lock.json "$work"
npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund
mv "$work/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so" "$home/lib/libchdb.so"
mv "$work/node_modules/uplot/dist/"{uPlot.iife.min.js,uPlot.min.css} "$home/lib/uplot/"
rm -rf "$work"
