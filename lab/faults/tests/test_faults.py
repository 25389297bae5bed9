# SPDX-License-Identifier: Apache-2.0
"""The short form of the fault lab (lab/faults/README.md): it injects, asks, leaves nothing behind."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lab.faults import drive
from tailrace.api import REPO_ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

TIMEOUT_S = 420.0


def lab(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "lab.faults", "--folder", str(folder), *arguments],
        env=os.environ | {"PYTHONPATH": f"{REPO_ROOT}:{REPO_ROOT}/cli"},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


@pytest.fixture
def folder() -> Iterator[Path]:
    """On the drive of the repository: the warehouse needs more room than a small /tmp has."""
    path = REPO_ROOT / ".tailrace" / "test" / str(os.getpid()) / "faults"
    yield path
    lab(path, "clean")
    subprocess.run(["rm", "-r", "--one-file-system", str(path)], check=False)


def left_behind(folder: Path) -> list[str]:
    """Mounts, loop devices and processes that name the folder."""
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    loops = [file.read_text() for file in Path("/sys/block").glob("loop*/loop/backing_file")]
    lines = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    return [line for line in (*mounts, *loops, *lines) if str(folder) in line]


def test_a_stopped_broker_and_a_slow_drive(folder: Path) -> None:
    if missing := drive.missing():
        pytest.skip("; ".join(missing))
    done = lab(folder, "run", "--short", "--any-noise")
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    results = re.findall(r"^RESULT (.*)$", done.stdout, re.M)
    assert len(results) == 1, output
    values = dict(pair.split("=", 1) for pair in results[0].split())
    assert (values["injected"], values["failed"], values["unanswered"]) == ("2", "0", "0"), output
    [file] = (folder / "truth").glob("*.json")
    truth = json.loads(file.read_text())
    assert [one["cause"] for one in truth["injections"]] == ["broker_pause", "slow_drive"]
    assert all(one["outcome"] == "injected" for one in truth["injections"]), truth
    [file] = (folder / "answers").glob("*.explained.json")
    causes = [one["verdict"]["cause"] for one in json.loads(file.read_text())["episodes"]]
    assert "broker_pause" in causes, output
    assert left_behind(folder) == []
