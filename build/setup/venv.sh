#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes .tailrace/venv: the packages of cli/requirements.lock, checked against its hashes, and the
# tailrace command itself, which runs from its sources.
set -euo pipefail

cd "$(dirname "$0")/../.."
venv=.tailrace/venv
if ! "$venv/bin/python" -m pip --version; then
  rm -rf "$venv"
  python3 -m venv "$venv"
fi
install=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
"${install[@]}" --require-hashes -r cli/requirements.lock
"${install[@]}" --no-deps --no-build-isolation -e cli
