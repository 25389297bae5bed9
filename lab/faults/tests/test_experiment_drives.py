# SPDX-License-Identifier: Apache-2.0
"""What the lab adds to experiments: amounts are read, verdicts of all calls are summed."""

import stat
from pathlib import Path

import pytest

from lab.faults import ageing, drive, experiments
from lab.faults.amounts import amount
from lab.faults.journal import Journal
from lab.stand.errors import StandError
from lab.stand.waiting import until
from tailrace.api import REPO_ROOT, published

SEEDS = published(REPO_ROOT)
SUMMARY = "RESULT experiments=1 ran=1 holds=2 not=1 cannot_tell=0"


@pytest.mark.parametrize(
    ("text", "value"),
    [("200MB", 2e8), ("64kB", 64e3), ("120s", 120), (3000, 3000), ("1.5GB", 1.5e9)],
)
def test_amounts(text: object, value: float) -> None:
    assert amount(text) == value


def test_an_invalid_amount_is_named() -> None:
    with pytest.raises(StandError, match="'soon' is not an amount"):
        amount("soon")


def conducted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, script: str, call: experiments.Call
) -> tuple[int, list[str]]:
    """Exit code, and what the lab prints, with a script in the command's place."""
    command = folder / "tailrace"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(stat.S_IRWXU)
    monkeypatch.setattr(experiments, "COMMAND", str(command))
    messages: list[str] = []
    with Journal(folder / "lab") as journal:
        monkeypatch.setattr(journal, "guard", lambda: None)
        return experiments.Experiments(journal, call, messages.append).run(), messages


def test_verdicts_of_all_calls_are_summed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two experiments without a drive; of one of them the command dies."""
    script = f'case "$2" in 0-fsync) echo "{SUMMARY}" ;; *) exit 1 ;; esac'
    call = experiments.Call(SEEDS, ["0-fsync", "1-producers"])
    code, messages = conducted(tmp_path, monkeypatch, script, call)
    assert code == 1
    assert messages[-1] == "RESULT experiments=2 ran=1 holds=2 not=1 cannot_tell=0"
    assert [line.split(":")[0] for line in messages[:-1]] == ["0-fsync", "1-producers"]
    assert SUMMARY in capfd.readouterr().out


def test_a_hanging_experiment_is_stopped_and_the_next_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = experiments.Call(SEEDS, ["0-fsync", "1-producers"], minutes=0.02)
    script = 'case "$1" in up) exit 1 ;; *) exec sleep 60 ;; esac'
    code, messages = conducted(tmp_path, monkeypatch, script, call)
    assert code == 1
    assert messages[0] == "0-fsync: stopped: 0.02 minutes are over; the same call continues"
    assert messages[2] == "1-producers: not started: 0.02 minutes are over; the same call continues"
    assert messages[-1] == "RESULT experiments=2 ran=0 holds=0 not=0 cannot_tell=0"


def test_options_are_passed_on_and_the_page_is_made_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f'echo "$@" >>{tmp_path}/calls; echo "{SUMMARY}"'
    call = experiments.Call(SEEDS, ["0-fsync"], tmp_path / "pages", tmp_path / "runs", restart=True)
    code, _lines = conducted(tmp_path, monkeypatch, script, call)
    first, last = (tmp_path / "calls").read_text().splitlines()
    assert code == 0
    assert first == f"experiments 0-fsync --small --from {SEEDS} --restart --export {tmp_path}/runs"
    assert last.endswith(f"--stored --from {SEEDS} --page {tmp_path}/pages/{experiments.PAGE}")


def test_several_without_a_drive_share_a_stack_that_was_started_before_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f'echo "$1 $2" >>{tmp_path}/calls; echo "{SUMMARY}"'
    call = experiments.Call(SEEDS, ["0-fsync", "1-producers"])
    assert conducted(tmp_path, monkeypatch, script, call)[0] == 0
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == ["up ", "experiments 0-fsync", "experiments 1-producers"]


@pytest.mark.parametrize(
    ("wanted", "made", "takes"),
    [
        ({"slowTimes": 1.1}, 20e6, 22_000_000),
        ({"slowTimes": 1.1}, 0.5, 100_000),
        ({"slowBytesPerSecond": "3MB"}, 9e6, 3_000_000),
    ],
)
def test_an_aged_drive_still_keeps_up_with_its_load(wanted: dict[str, float], made: float, takes: int) -> None:
    assert ageing.slow(wanted, made) == takes


def test_the_drive_ages_once_after_measuring_has_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real device's counters; the limit goes into a file instead of the kernel."""
    monkeypatch.setattr(drive, "WRITE_BYTES", tmp_path / "limit")
    device = drive.Device(f"/dev/{next(Path('/sys/block').iterdir()).name}")
    messages: list[str] = []
    aged = ageing.Ageing(device, {"slowAfter": "0s", "slowBytesPerSecond": "3MB"}, messages.append)
    aged.follow("warmup 3 s")
    assert messages == []
    aged.follow("measure 1 s")
    aged.follow("measure 2 s")
    until((tmp_path / "limit").exists, "the drive is slow", 10)
    aged.end()
    assert (tmp_path / "limit").read_text() == f"{device.number} 3000000"
    assert [line.partition(" MB/s")[0] for line in messages] == [
        "  the drive grows slow in 0s",
        "  the drive takes 3.0",
    ]
