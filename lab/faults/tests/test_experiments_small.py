# SPDX-License-Identifier: Apache-2.0
"""A shrunken experiment from its topics to its page, on the fault lab's drive."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.faults import drive
from tailrace.api import REPO_ROOT, chosen, published

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

TIMEOUT_S = 420.0
FORM = """
  filled: {records: 5000, prefix: tiny, sizes: [1k], partitions: [1, 16]}
  runs:
    - {workload: fill.yaml, driver: defaults, fills: true}
    - {workload: read.yaml, driver: defaults}
"""
LIMITS = "bytesPerSecond: 40MB, writesPerSecond: 3000, dirtyBytes: 64MB"
EXPERIMENT = f"""
claim: tiny
source: none
verdict: verdict_read_to_end
table: read_to_end_grid
systems: [kafka, redpanda]
full: {FORM}
small:
  drive: {{{LIMITS}, slowAfter: 0s, slowBytesPerSecond: 20MB}} {FORM}
"""
# Five seconds of writing: long enough for a line of progress.
FILL = """
name: tiny-fill
dialect: tailrace
producersPerTopic: 1
subscriptionsPerTopic: 0
consumerPerSubscription: 1
messageSize: 1KiB
producerRate: 200
warmupDuration: 0s
messages: 1000
vary:
  - existingProduceTopicList: [[tiny-1k-1p], [tiny-1k-16p]]
"""
READ = """
name: tiny-read
dialect: tailrace
producersPerTopic: 0
subscriptionsPerTopic: 1
consumerPerSubscription: 1
warmupDuration: 0s
testDuration: 1m
readToEnd: true
vary:
  - existingConsumeTopicList: [[tiny-1k-1p], [tiny-1k-16p]]
"""


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    """A folder with one experiment, and the published drivers and tools."""
    own = tmp_path / "tiny"
    own.mkdir()
    for name, text in (("experiment", EXPERIMENT), ("fill", FILL), ("read", READ)):
        (own / f"{name}.yaml").write_text(text)
    [feldera] = chosen(published(REPO_ROOT), ["feldera"])
    for tool in ("Topics.java", "nexmark.py"):
        (own / tool).symlink_to(feldera.folder / tool)
    (tmp_path / "drivers").symlink_to(feldera.drivers)
    return tmp_path


@pytest.fixture
def folder() -> Iterator[Path]:
    """The lab's, on the drive of the repository: the warehouse needs room."""
    path = REPO_ROOT / ".tailrace" / "test" / str(os.getpid()) / "seeds"
    yield path
    lab(path, "clean")
    subprocess.run(["rm", "-r", "--one-file-system", str(path)], check=False)


def lab(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "lab.faults", "--folder", str(folder), *arguments],
        env=os.environ | {"PYTHONPATH": f"{REPO_ROOT}:{REPO_ROOT}/cli"},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


def test_a_tiny_experiment(folder: Path, seeds: Path, tmp_path: Path) -> None:
    if missing := drive.missing():
        pytest.skip("; ".join(missing))
    done = lab(folder, "experiments", "--from", str(seeds), "--pages", str(tmp_path / "pages"))
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    counts = dict(re.findall(r"(\w+)=(\d+)", done.stdout.splitlines()[-1]))
    assert (counts["experiments"], counts["ran"]) == ("1", "1"), output
    verdicts = sum(int(counts[word]) for word in ("holds", "not", "cannot_tell"))
    assert verdicts == 17, output
    assert "the drive takes 20.0 MB/s" in done.stdout, output
    page = (tmp_path / "pages" / "published-experiments.md").read_text()
    # A row of the grid for each topic: 1,000 messages were read, and the probe of each partition.
    rows = re.findall(r"^\| 1024 \| (1|16) \| one \| [\d.]+ \| [-\d.]+ \| (\d+) \|", page, re.M)
    assert rows == [("1", "1001"), ("16", "1016")], page
    assert "kernel" in page
    progress = folder / "state" / "experiments" / "small-kafka.json"
    state = json.loads(progress.read_text())
    assert list(state["ended"]) == ["tiny"], output
    again = lab(folder, "experiments", "--from", str(seeds))
    assert "its runs were made today" in again.stdout, again.stdout + again.stderr
    assert json.loads(progress.read_text())["runs"] == state["runs"]
