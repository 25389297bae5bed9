#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# migrate.sh URL: brings the warehouse to the newest schema, and to the TTLs of this deployment (ttls.env).
set -eu

"$TAILRACE_HOME/bin/tailrace-migrate" --url "$1" up
# The command takes half a second to start: only where a table is named.
if grep -q '^[^#]' "$TAILRACE_TTLS"; then
  export TAILRACE_WAREHOUSE_URL="$1"
  exec "$TAILRACE_HOME/venv/bin/tailrace" runs ttl --file "$TAILRACE_TTLS"
fi
