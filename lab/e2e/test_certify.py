# SPDX-License-Identifier: Apache-2.0
"""A certificate of one claim on three brokers, one of which is killed meanwhile."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.stand.fixtures import MakeStack
from lab.stand.stack import StackStand
from tailrace.api import connect

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
TIMEOUT_S = 400.0


@pytest.fixture(scope="module")
def stand(make_stack: MakeStack) -> Iterator[StackStand]:
    with make_stack("certified", brokers=3) as started:
        yield started


def test_a_claim_holds_while_a_broker_is_killed(stand: StackStand, tmp_path: Path) -> None:
    arguments = ["--claims", "no_duplicates", "--duration", "20s", "--rate", "500", "--output", str(tmp_path)]
    done = subprocess.run(
        [COMMAND, "certify", *arguments],
        env=os.environ | stand.variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = dict(pair.split("=") for pair in done.stdout.splitlines()[-1].split()[1:])
    assert (result["claims"], result["hold"]) == ("1", "1")
    # Sends that failed while the broker was away are not acknowledged.
    assert int(result["messages"]) > 20 * 500 / 2
    assert float(result["check_s"]) < 30

    written = json.loads((tmp_path / "certificate.json").read_text())
    (line,) = written["claims"]
    kinds = [fault["kind"] for fault in line["faults"]]
    assert "broker_kill" in kinds
    assert int(result["faults"]) == len(kinds)
    assert "1 of 1 claims hold" in (tmp_path / "certificate.html").read_text()

    # Each fault is a mark of the run, within it.
    sql = "SELECT detail, time FROM v_run_events WHERE run_id = {r:String} AND kind = 'mark' ORDER BY time"
    marks = connect(stand.endpoints).query(sql, parameters={"r": line["run"]}).result_rows
    assert [json.loads(detail)["text"] for detail, _time in marks] == [fault["text"] for fault in line["faults"]]
    # The killed broker was started again.
    status = subprocess.run(
        [COMMAND, "broker", "status"], env=os.environ | stand.variables, capture_output=True, text=True, check=False
    )
    assert len(re.findall(r"^ *\d +ready", status.stdout, re.MULTILINE)) == 3, status.stdout
