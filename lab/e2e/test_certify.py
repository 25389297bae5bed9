# SPDX-License-Identifier: Apache-2.0
"""A certificate of one claim on three brokers, one of which is killed meanwhile."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.stand.fixtures import MakeStack
from lab.stand.stack import StackStand
from tailrace.api import connect

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
TIMEOUT_S = 400.0
DURATION_S = 53
ARGUMENTS = ("--claims", "no_duplicates", "--duration", f"{DURATION_S}s", "--rate", "500", "--output")


@pytest.fixture(scope="module")
def stand(make_stack: MakeStack) -> Iterator[StackStand]:
    with make_stack("certified", brokers=3) as started:
        yield started


def test_a_claim_holds_while_a_broker_is_killed(stand: StackStand, tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "certify", *ARGUMENTS, str(tmp_path)],
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
    assert int(result["messages"]) > DURATION_S * 500 / 2
    assert float(result["check_s"]) < 30

    written = json.loads((tmp_path / "certificate.json").read_text())
    (line,) = written["claims"]
    kinds = [fault["kind"] for fault in line["faults"]]
    # Each kind of the claim struck, or has its reason.
    assert {*kinds, *line["not_made"]} == {"broker_kill", "broker_pause", "connection_cut", "leader_move"}
    assert "broker_kill" in kinds
    assert line["configuration"]["replication.factor"] == "3"
    # Files with the driver's secrets are not beside the page.
    assert {file.suffix for file in tmp_path.iterdir()} == {".html", ".json", ".log"}
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


def test_an_interrupt_ends_the_faults_and_leaves_a_page(stand: StackStand, tmp_path: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "certify", *ARGUMENTS, str(tmp_path)],
        env=os.environ | stand.variables,
        stdout=subprocess.PIPE,
        text=True,
    ) as command:
        try:
            deadline = time.monotonic() + TIMEOUT_S
            # The broker is killed within the first seconds of the measure phase.
            while "measure 00:03" not in "".join(file.read_text() for file in tmp_path.glob("*.log")):
                assert command.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
            command.send_signal(signal.SIGINT)
            output, _ = command.communicate(timeout=TIMEOUT_S)
        finally:
            command.kill()
    assert command.returncode == 130
    assert [line.split(" after ")[0] for line in output.splitlines() if line.startswith("fault")] in (
        [],
        *([f"fault: broker {broker} killed, started again"] for broker in (1, 2, 3)),
    )
    assert output.splitlines()[-1].endswith(" interrupted=no_duplicates")
    assert json.loads((tmp_path / "certificate.json").read_text())["interrupted"] == "no_duplicates"
    assert "<dt>interrupted</dt>" in (tmp_path / "certificate.html").read_text()
