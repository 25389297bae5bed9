# SPDX-License-Identifier: Apache-2.0
"""The short form: one case of anomalies in fetch answers, planted in a real run, and its clean run."""

import os
import re
import subprocess
import sys

import pytest

from lab.audit.anomalies import FETCHED
from tailrace.api import REPO_ROOT

pytestmark = pytest.mark.e2e

TIMEOUT_S = 600.0


def test_each_anomaly_of_a_fetch_is_found_and_a_clean_run_passes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lab.audit", FETCHED.name],
        cwd=REPO_ROOT,
        env=os.environ | {"PYTHONPATH": f"{REPO_ROOT}:{REPO_ROOT}/cli"},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    count = sum(plant.is_anomaly for plant in FETCHED.plants)
    result = rf"^RESULT anomalies_planted={count} found={count} false_alarms=0 clean_runs=1 "
    assert re.search(result, done.stdout, re.M), done.stdout + done.stderr
    assert done.returncode == 0
