# SPDX-License-Identifier: Apache-2.0
"""Records and baselines that a consumer is held against, made and measured for real."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tailrace.errors import Failed
from tailrace.experiments import baselines, drive_limit
from tailrace.experiments.experiment import chosen, published
from tailrace.stack.api import StackPaths

[FELDERA] = chosen(published(StackPaths.load().root), ["feldera"])
RECORDS_IN = {"256": 1, "512": 2, "1k": 5, "4k": 22, "64k": 370, "512k": 3000}
LIMITS = {"256": 256, "512": 512, "1k": 1024, "4k": 4096, "64k": 65536, "512k": 524288}
HEADER = 28


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("feldera")
    make(folder, 150_000)
    return folder


def make(folder: Path, records: int) -> None:
    tool = str(FELDERA.folder / "nexmark.py")
    command = [sys.executable, tool, "--out", str(folder), "--records", str(records)]
    subprocess.run(command, check=True)


def test_records_are_bids_of_the_published_sizes(made: Path) -> None:
    with (made / "records-150000.txt").open("rb") as file:
        sizes = [len(line) for line in file]
    assert len(sizes) == 150_000
    assert (min(sizes), max(sizes)) == (151, 218)
    assert sum(sizes) / len(sizes) == pytest.approx(172, abs=1)


def test_events_hold_whole_records_up_to_their_size(made: Path) -> None:
    for name, count in RECORDS_IN.items():
        for file in (made / "events" / name).iterdir():
            event = file.read_bytes()
            assert len(event) <= LIMITS[name]
            lines = event[HEADER:].splitlines(keepends=True)
            assert len(lines) == count
            assert all(line.startswith(b'{"auction":') and line[-2:] == b"}\n" for line in lines)


def test_the_same_bytes_are_made_every_time(made: Path, tmp_path: Path) -> None:
    make(tmp_path, 150_000)
    for file in made.rglob("*"):
        if file.is_file():
            assert (tmp_path / file.relative_to(made)).read_bytes() == file.read_bytes()


def test_baselines_are_measured_and_what_is_missing_is_stated(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines.shutil, "which", lambda _name: None)
    monkeypatch.setattr(baselines.importlib.util, "find_spec", lambda _name: None)
    messages: list[str] = []
    records = made / "records-150000.txt"
    found = baselines.measure(records, FELDERA.folder, ["t"], "127.0.0.1:1", messages.append)
    assert set(found) == {"wc", "cat_wc"}
    assert all(seconds > 0 for seconds in found.values())
    assert [line.split()[0] for line in messages] == ["kcat", "confluent-kafka"]


def test_a_client_that_fails_leaves_its_column_empty(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines.shutil, "which", lambda _name: "there")
    monkeypatch.setattr(baselines.importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(baselines, "kcat", lambda _servers, _topic: ["false"])
    messages: list[str] = []
    records = made / "records-150000.txt"
    found = baselines.measure(records, FELDERA.folder, ["t"], "127.0.0.1:1", messages.append)
    assert set(found) == {"wc", "cat_wc"}
    assert messages[0] == "kcat: false: exit codes [1]: its column is empty"


def test_kcat_does_not_wait_for_the_end() -> None:
    if not shutil.which("kcat"):
        pytest.skip("kcat is not installed")
    messages = [*baselines.kcat("127.0.0.1:1", "t"), "-X", "dump"]
    output = subprocess.run(messages, capture_output=True, text=True, check=True, timeout=30).stdout
    assert "\nfetch.wait.max.ms = 1\n" in output


def test_a_baseline_that_fails_is_no_time(made: Path) -> None:
    with pytest.raises(Failed, match=r"wc: exit codes \[1\]"):
        baselines.measure(made / "records-150000.txt" / "no", FELDERA.folder, [], "", print)


@pytest.mark.parametrize("by", ["fio", "a loop of direct writes (fio is not installed)"])
def test_a_drive_is_measured_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    if by == "fio" and not shutil.which("fio"):
        pytest.skip("fio is not installed")
    monkeypatch.setattr(drive_limit, "SECONDS", 1)
    if by != "fio":
        monkeypatch.setattr(drive_limit.shutil, "which", lambda _name: None)
    limit, means = drive_limit.measured_mb_per_s(tmp_path)
    assert (limit > 0, means) == (True, by)
    assert list(tmp_path.iterdir()) == []
