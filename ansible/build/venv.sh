#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes .tailrace/ansible: an environment with ansible/requirements.txt, and the collection where Ansible looks for it.
set -euo pipefail

cd "$(dirname "$0")/../.."
home=.tailrace/ansible
[[ -x $home/venv/bin/python ]] || python3 -m venv "$home/venv"
"$home/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r ansible/requirements.txt
mkdir -p "$home/collections/ansible_collections/tailrace"
ln -sfn ../../../../../ansible "$home/collections/ansible_collections/tailrace/lab"
