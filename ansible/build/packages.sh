#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packages.sh FOLDER [PIP OPTIONS…]: the tailrace command's Python packages, of FOLDER/requirements.txt and checked
# against its hashes, in an environment of their own below FOLDER.
set -euo pipefail

folder=$1
shift
python3 -m venv --clear "$folder/.tailrace/venv"
"$folder/.tailrace/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes \
  "$@" -r "$folder/requirements.txt"
touch "$folder/.tailrace/venv/complete"
