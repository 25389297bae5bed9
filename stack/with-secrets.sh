#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# with-secrets.sh PROGRAM ARGUMENTS…: becomes PROGRAM with the warehouse's user and password in its
# environment. Only the processes that need them get them, and no argument list ever shows them.
set -eu

set -a
# shellcheck source=/dev/null
. "$TAILRACE_STATE/secrets/warehouse.env"
set +a
exec "$@"
