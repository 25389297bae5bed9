#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packages.sh FOLDER [PIP OPTIONS…]: installs the tailrace command from its wheel in FOLDER/wheels, and the packages of
# FOLDER/requirements.txt, checked against their hashes, in a separate environment below FOLDER.
set -euo pipefail

folder=$1
shift
python3 -m venv --clear "$folder/.tailrace/venv"
install=("$folder/.tailrace/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir)
"${install[@]}" --require-hashes "$@" -r "$folder/requirements.txt"
"${install[@]}" --no-deps --no-index "$folder"/wheels/tailrace-*.whl
touch "$folder/.tailrace/venv/complete"
