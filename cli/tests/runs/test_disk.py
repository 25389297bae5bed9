# SPDX-License-Identifier: Apache-2.0
"""The disk a run needs."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tailrace.errors import BadInput
from tailrace.runs import loadgen
from tailrace.runs.disk import brokers_bytes, check_disk
from tailrace.runs.planning import Plan
from tailrace.stack.api import StackPaths

GIB = 1024**3
MINUTE = 60
DAY = 86_400
# A million messages of 10 kB, which are 9.3 GiB and 0.07 of rows.
MEASURE = {
    "name": "measure",
    "seconds": 100,
    "until": "time",
    "messages_per_second": 10_000,
    "messages": 1_000_000,
}
PLAN = Plan(
    {
        "topics": [{"name": "RUN_ID-0000000", "partitions": 100, "subscriptions": 1}],
        "producers": 1,
        "partitions": 100,
        "replication_factor": 1,
        "message_bytes": 10_000,
        "behaviour": {},
        "topic_config": {},
        "producer_config": {"bootstrap.servers": "remote.invalid:9092"},
        "phases": [MEASURE],
        "expected_messages": 1_000_000,
        "expected_deliveries": 1_000_000,
    }
)


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    return StackPaths.load({"TAILRACE_STATE": str(tmp_path / "not" / "yet" / "there")})


def free(monkeypatch: pytest.MonkeyPatch, size: float) -> None:
    """The one thing a test cannot do for real: fill the drive."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=int(size)))


def here(paths: StackPaths, **changes: Any) -> Plan:
    """The plan for the stack's own broker."""
    servers = f"localhost:{paths.ports['KAFKA_PORT']}"
    return Plan({**PLAN, "producer_config": {"bootstrap.servers": servers}, **changes})


def phase(name: str, **changes: Any) -> dict[str, Any]:
    return {**MEASURE, "name": name, **changes}


def test_a_drive_that_holds_the_run_is_enough(monkeypatch: pytest.MonkeyPatch, paths: StackPaths) -> None:
    free(monkeypatch, 11.5 * GIB)
    check_disk(here(paths), paths)


@pytest.mark.parametrize(
    ("size", "changes", "needed"),
    [
        (11, {}, ["11.3 GiB needed", "11.2 GiB for the broker's log"]),
        (1.9, {"message_bytes": 1}, ["2.0 GiB needed"]),
        # Two partitions keep 1 GiB each and an open segment of 256 MiB.
        (3, {"partitions": 2}, ["3.1 GiB needed"]),
        (6, {"partitions": 2, "replication_factor": 2}, ["6.1 GiB needed"]),
        (3, {"partitions": 1, "topic_config": {"retention.bytes": str(3 * GIB)}}, ["4.0 GiB"]),
        (11, {"partitions": 1, "topic_config": {"retention.bytes": "-1"}}, ["11.3 GiB"]),
        (11, {"partitions": 1, "topic_config": {"cleanup.policy": "compact"}}, ["11.3 GiB"]),
        (11, {"partitions": 1, "topic_config": {"segment.bytes": "much"}}, ["11.3 GiB"]),
        # Keys and the record around a message are written too.
        (11, {"message_bytes": 24, "behaviour": {"key_bytes": 10_000}}, ["11.3 GiB"]),
        # Nothing is known of rate max but what such machines have been seen to take.
        (
            11,
            {"phases": [phase("measure", messages_per_second=None, messages=None, seconds=600)]},
            ["135."],
        ),
    ],
)
def test_too_small_a_drive_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    paths: StackPaths,
    size: float,
    changes: dict[str, Any],
    needed: list[str],
) -> None:
    free(monkeypatch, size * GIB)
    with pytest.raises(BadInput) as error:
        check_disk(here(paths, **changes), paths)
    for text in needed:
        assert text in str(error.value)
    assert str(paths.state) in str(error.value)
    assert "\n" not in str(error.value)


def test_remote_brokers_need_only_room_for_the_rows_here(monkeypatch: pytest.MonkeyPatch, paths: StackPaths) -> None:
    free(monkeypatch, 2 * GIB)
    check_disk(PLAN, paths)
    many = Plan({**PLAN, "phases": [phase("measure", messages=10**8)]})
    with pytest.raises(BadInput) as error:
        check_disk(many, paths)
    assert "7.2 GiB needed for this run (7.2 GiB for its rows in the warehouse;" in str(error.value)
    assert "broker's log" not in str(error.value)


def test_rows_of_days_are_merged_meanwhile(monkeypatch: pytest.MonkeyPatch, paths: StackPaths) -> None:
    free(monkeypatch, 2 * GIB)
    days = Plan({**PLAN, "phases": [phase("measure", messages=10**11)]})
    # A billion rows at 32 bytes, 199 at 3, or with keys at 9; 1.2 times all of it.
    with pytest.raises(BadInput, match=r"703\.0 GiB needed"):
        check_disk(days, paths)
    with pytest.raises(BadInput, match=r"2037\.4 GiB needed"):
        check_disk(Plan({**days, "behaviour": {"key_bytes": 10}}), paths)


def test_a_warehouse_elsewhere_needs_no_room_here(monkeypatch: pytest.MonkeyPatch, paths: StackPaths) -> None:
    free(monkeypatch, 2 * GIB)
    many = Plan({**PLAN, "phases": [phase("measure", messages=10**11)]})
    for part in ("WAREHOUSE", "VM", "OTLP"):
        monkeypatch.setenv(f"TAILRACE_{part}_URL", "http://elsewhere.invalid:1")
    check_disk(many, paths)


@pytest.mark.parametrize(
    ("topic", "needed"),
    [
        # A million messages of 10,020 bytes in three copies.
        ({}, 30_060_000_000),
        # 100 partitions of 5 MB and an open segment of 5 MB each.
        ({"retention.bytes": "5000000", "segment.bytes": "5000000"}, 3_000_000_000),
        # What ten seconds bring, and open segments.
        ({"retention.ms": "10000", "segment.bytes": "1000000"}, 3_306_000_000),
        ({"retention.bytes": "-1"}, 30_060_000_000),
        ({"retention.ms": "10", "cleanup.policy": "compact"}, 30_060_000_000),
    ],
)
def test_brokers_elsewhere_keep_what_the_topics_retention_leaves(
    paths: StackPaths, topic: dict[str, str], needed: int
) -> None:
    plan = Plan({**PLAN, "replication_factor": 3, "topic_config": topic})
    assert brokers_bytes(plan, paths) == pytest.approx(needed, abs=1)


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        # 100 partitions of 1.25 GiB, filled to 150 %: 20 million messages, 1.4 GiB of
        # rows; the log holds at most what its partitions keep.
        ({"topic_config": {}}, "151.5 GiB needed"),
        # Segments of 10 MB that keep 90 MB.
        (
            {"topic_config": {"retention.bytes": "90000000", "segment.bytes": "10000000"}},
            "11.4 GiB needed",
        ),
        # An age is reached after so much time at the rate: here ten minutes and their half.
        (
            {
                "topic_config": {"retention.ms": "600000", "retention.bytes": str(10**12)},
            },
            "112.7 GiB needed",
        ),
        # A limit that comes first bounds it.
        ({"timeout": 100}, "22.5 GiB needed"),
    ],
)
def test_a_fill_is_reckoned_by_what_retention_keeps(
    monkeypatch: pytest.MonkeyPatch, paths: StackPaths, changes: dict[str, Any], needed: str
) -> None:
    free(monkeypatch, 1 * GIB)
    timeout = changes.pop("timeout", DAY)
    fill = phase("retention_fill", until="retention_reached", messages=None, seconds=timeout)
    with pytest.raises(BadInput, match=needed):
        check_disk(here(paths, phases=[fill, MEASURE], **changes), paths)


def test_a_drain_writes_as_long_as_its_backlog_was_built(monkeypatch: pytest.MonkeyPatch, paths: StackPaths) -> None:
    build = phase("backlog_build", until="backlog_built", seconds=DAY)
    drain = phase("backlog_drain", until="backlog_drained", messages=None, seconds=DAY)
    plan = here(paths, phases=[MEASURE, build, drain])
    free(monkeypatch, 33 * GIB)
    with pytest.raises(BadInput, match=r"33\.8 GiB needed"):
        check_disk(plan, paths)
    free(monkeypatch, 34 * GIB)
    printed: list[str] = []
    check_disk(plan, paths, printed.append)
    (line,) = printed
    assert line.startswith("note: backlog_drain would need ")
    assert line.endswith("GiB if it reached its limit; 34.0 GiB are free")


def test_what_nothing_bounds_is_stated_and_not_refused(monkeypatch: pytest.MonkeyPatch, paths: StackPaths) -> None:
    free(monkeypatch, 3 * GIB)
    printed: list[str] = []
    endless = phase("measure", seconds=366 * DAY, messages=10_000 * 366 * DAY)
    check_disk(here(paths, phases=[endless]), paths, printed.append)
    read = phase("measure", until="end_read", messages=None, seconds=366 * DAY)
    check_disk(here(paths, phases=[read], producers=0), paths, printed.append)
    assert printed == ["note: measure may write more than the drive holds: nothing bounds it"] * 2


@pytest.mark.parametrize(
    ("file", "size"),
    [
        # 90 s of 300 messages/s of 10 kB at most, and 5 s.
        ("examples/retention-fill.yaml", 2),
        ("examples/backlog.yaml", 2),
        ("examples/curve-poisson.yaml", 2),
        ("smoke.yaml", 2),
    ],
)
def test_the_load_generators_own_plans_are_understood(
    monkeypatch: pytest.MonkeyPatch, paths: StackPaths, file: str, size: int
) -> None:
    workloads = StackPaths.load().root / "workloads"
    inputs = loadgen.Inputs(workloads / file, workloads / "drivers" / "kafka.yaml", None, None)
    plan = loadgen.plan(paths, inputs)
    free(monkeypatch, size * GIB)
    check_disk(plan, paths)
    free(monkeypatch, size * GIB - 1)
    with pytest.raises(BadInput, match=r"2\.0 GiB needed"):
        check_disk(plan, paths)
