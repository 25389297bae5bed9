#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# step.sh NAME "WHAT IT DOES" "REMEDY" COMMAND…
# Runs one step of set-up: a line before, the time after, the output in .tailrace/logs-setup/NAME.log.
# When the command fails, the end of that log and the remedy are shown. A step that succeeded leaves
# its mark in .tailrace/stamps/NAME.
set -euo pipefail

name=$1 what=$2 remedy=$3
shift 3
home=$(cd "$(dirname "$0")/../.." && pwd)/.tailrace
log=$home/logs-setup/$name.log
mkdir -p "${log%/*}" "$home/stamps" "$home/bin" "$home/lib"

printf '  %-10s %s …\n' "$name" "$what"
TIMEFORMAT='%R %U %S'
if timing=$({ time "$@" >"$log" 2>&1; } 2>&1); then
  read -r wall user system <<<"$timing"
  printf '  %-10s done in %s s (CPU %s s)\n' "$name" "$wall" \
    "$(awk "BEGIN { printf \"%.1f\", $user + $system }")"
  touch "$home/stamps/$name"
else
  printf '  %-10s FAILED; the end of %s:\n' "$name" "$log" >&2
  tail -n 20 "$log" | sed 's/^/    | /' >&2
  printf '  %-10s remedy: %s\n' "$name" "$remedy" >&2
  exit 1
fi
