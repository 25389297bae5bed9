# SPDX-License-Identifier: Apache-2.0
"""How the demo's rate follows from the calibration."""

from dataclasses import replace
from pathlib import Path

import pytest

from tailrace.demo import calibration, workload
from tailrace.errors import Failed
from tailrace.stack.api import StackPaths

PROGRESS = [
    "probe 00:00/01:00  sent 16/s  acked 16/s  received 16/s  publish p50 - p99 -  backlog 0",
    "measure 00:00/00:12  sent 36735/s  acked 4238/s  received 4266/s  publish p50 - p99 -  backlog 0",
    "measure 00:11/00:12  sent 18255/s  acked 18255/s  received 18000/s  publish p50 - p99 -  backlog 0",
    "last sends 00:00  sent 0/s  acked 21275/s  received 21275/s  publish p50 - p99 -  backlog 0",
]


def test_only_seconds_of_the_load_count() -> None:
    assert calibration.received(PROGRESS) == [4266, 18000]


@pytest.mark.parametrize(
    ("carried", "rate"),
    [(61_400, 15_000), (18_255, 4_500), (200_000, 20_000), (1_000, calibration.LEAST), (3_960, 990)],
)
def test_a_quarter_with_two_digits_and_bounds(carried: int, rate: int) -> None:
    assert calibration.rate(carried, 20_000) == rate


def test_the_sentence_states_both_rates_and_the_size() -> None:
    assert calibration.sentence(61_400, 15_000, 1024) == (
        "this machine carries some 61,000 messages/s of 1 KiB, each synced to the drive; the demo sends 15,000/s"
    )
    assert "of 1000 bytes," in calibration.sentence(61_400, 15_000, 1000)


def test_the_workload_differs_in_the_given_keys_only(tmp_path: Path) -> None:
    paths = StackPaths.load()
    made = workload.written(paths, tmp_path / "run" / "demo.yaml", {"producerRate": 4500, "testDuration": "12s"})
    before = workload.workload(paths).read_text().splitlines()
    after = made.read_text().splitlines()
    changed = [line for line, was in zip(after, before, strict=True) if line != was]
    assert sorted(changed) == ["producerRate: 4500", "testDuration: 12s"]


def test_a_workload_without_the_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"demo\.yaml: needs one line 'rate: …', has 0"):
        workload.written(StackPaths.load(), tmp_path / "demo.yaml", {"rate": 1})


@pytest.mark.parametrize("brokers", [1, 3])
def test_the_drivers_of_the_demo_are_the_stack_s_own_and_sync(brokers: int) -> None:
    driver = workload.driver(replace(StackPaths.load(), brokers=brokers))
    plain = driver.with_name(driver.name.replace("-synced", "")).read_text().splitlines()
    synced = driver.read_text().splitlines()
    assert "  flush.messages=1" in synced
    settings = [line for line in plain if line.startswith("  ")]
    assert [line for line in synced if line.startswith("  ") and "flush" not in line] == settings
