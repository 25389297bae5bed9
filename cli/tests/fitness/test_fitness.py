# SPDX-License-Identifier: Apache-2.0
"""A host's fitness: readings of made-up files, thresholds, and a real probe of a real folder."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from tailrace.api import cli
from tailrace.errors import BadInput
from tailrace.fitness import before, checks, drive, host
from tailrace.fitness.command import remedies
from tailrace.fitness.drive import Fingerprint, Writes
from tailrace.fitness.host import Rest
from tailrace.page.conditions import unfit

MEMORY = Path("/dev", "shm")
IDLE = host.parse("cpu  100 0 50 1000 10 0 0 5 0 0")


def fits(found: list[checks.Check]) -> dict[str, bool | None]:
    return {each.name: each.fit for each in found}


def test_shares_at_rest_come_from_two_readings() -> None:
    later = host.parse("cpu  110 0 55 1170 15 0 0 15 40 0")
    rest = host.between(IDLE, later, cores=2)
    assert rest == Rest(pytest.approx(25 / 200), pytest.approx(10 / 200), 2)
    assert rest.idle_cores == pytest.approx(2 * (1 - 0.125))
    assert host.between(IDLE, IDLE, 2).steal == 0


@pytest.mark.parametrize(
    ("rest", "over"),
    [
        (Rest(0.05, 0.0, 2), set()),
        (Rest(0.05, 0.03, 2), {"steal at rest"}),
        (Rest(0.30, 0.0, 2), {"busy share at rest"}),
        (Rest(0.10, 0.0, 1), {"loader headroom"}),
    ],
)
def test_a_host_that_is_not_at_rest_is_unfit(rest: Rest, over: set[str]) -> None:
    found = fits(list(checks.of_rest(rest)))
    assert {name for name, fit in found.items() if not fit} == over


@pytest.mark.parametrize(
    ("rest", "name"),
    [(Rest(0.8, 0.0, 2), "busy share at rest"), (Rest(0.7, 0.65, 2), "steal at rest")],
)
def test_a_busy_host_is_named_once(rest: Rest, name: str) -> None:
    assert [line.split(" is ")[0] for line in remedies(list(checks.of_rest(rest)))] == [f"unfit: {name}"]


@pytest.mark.parametrize(("value", "without"), [("", False), ("0", False), ("1", True)])
def test_the_variable_leaves_the_check_out_or_asks_for_it(
    monkeypatch: pytest.MonkeyPatch, value: str, without: bool
) -> None:
    monkeypatch.setenv(before.VARIABLE, value)
    assert before.left_out() == without


def test_another_value_of_the_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(before.VARIABLE, "no")
    with pytest.raises(BadInput, match="TAILRACE_NO_FITNESS=no: give 1 to leave the check out, or 0 to make it"):
        before.left_out()


def test_a_stack_that_has_just_started_may_settle_first() -> None:
    busy, calm = Rest(0.6, 0.0, 2), Rest(0.05, 0.0, 2)
    later = iter([busy, busy, busy, calm, calm, calm, busy])
    assert checks.settled(lambda: next(later)) == calm
    assert next(later) == busy  # no more than were needed


@pytest.mark.parametrize("rests", range(5))
def test_a_neighbour_that_rests_one_moment_in_five_is_seen(rests: int) -> None:
    samples = (Rest(0.0 if number % 5 == rests else 0.75, 0.0, 2) for number in range(20))
    assert checks.settled(lambda: next(samples)).busy == 0.75
    assert len(list(samples)) == 20 - checks.MOST_SAMPLES


def test_a_second_of_work_does_not_make_a_host_unfit() -> None:
    samples = iter([Rest(0.05, 0.0, 2), Rest(0.9, 0.5, 2), Rest(0.06, 0.0, 2), Rest(0.9, 0.5, 2), Rest(0.04, 0.0, 2)])
    assert checks.settled(lambda: next(samples)) == Rest(0.06, 0.0, 2)


@pytest.mark.parametrize(
    ("own", "files", "cores"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "150000 100000\n"}, 1.5),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "50000 100000\n"}, 0.5),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n"}, None),
        ("0::/seen/only/outside\n", {"cpu.max": "200000 100000\n"}, 2.0),
        ("4:cpu,cpuacct:/c\n0::/\n", {"cpu/c/cpu.cfs_quota_us": "70000\n", "cpu/c/cpu.cfs_period_us": "100000\n"}, 0.7),
        ("4:cpu:/c\n", {"cpu/c/cpu.cfs_quota_us": "-1\n", "cpu/c/cpu.cfs_period_us": "100000\n"}, None),
        ("5:memory:/c\n", {"cpu.max": "1 2\n"}, None),
    ],
)
def test_a_containers_quota_limits_the_cores(
    tmp_path: Path, own: str, files: dict[str, str], cores: float | None
) -> None:
    (tmp_path / "own").write_text(own)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert host.quota(tmp_path, tmp_path / "own") == cores
    assert host.quota(tmp_path, tmp_path / "none") is None


def test_a_quota_below_the_idle_cores_leaves_no_more_than_it_allows() -> None:
    calm = host.parse("cpu  105 0 55 1180 10 0 0 10 0 0")
    assert host.between(IDLE, calm, 4, 1.5).idle_cores == 1.5
    assert host.between(IDLE, calm, 4, None).idle_cores == host.between(IDLE, calm, 4, 8.0).idle_cores > 3
    headroom = list(checks.of_rest(host.between(IDLE, calm, 4, 0.5)))[-1]
    assert (headroom.value, headroom.fit) == ("0.5 of 0.5 cores", False)


@pytest.mark.parametrize(
    ("text", "why"), [(None, "No such file or directory"), ("", "it has no line"), ("cpu 1 2\n", "it has no line")]
)
def test_cpu_time_that_cannot_be_read_is_named(tmp_path: Path, text: str | None, why: str) -> None:
    stat = tmp_path / "stat"
    if text is not None:
        stat.write_text(text)
    with pytest.raises(BadInput, match=f"{stat}: {why}.*: the CPU time of this host cannot be read; mount /proc, or "):
        host.cpu(stat)


def test_clock_source_and_governor_are_read_and_judged(tmp_path: Path) -> None:
    assert host.clock_source(tmp_path) == ""
    assert host.governors(tmp_path) == []
    assert checks.of_clock("").fit is None
    assert checks.of_governors([]).fit is None
    (tmp_path / "clocksource/clocksource0").mkdir(parents=True)
    (tmp_path / "clocksource/clocksource0/current_clocksource").write_text("hpet\n")
    for cpu, governor in enumerate(("performance", "powersave", "performance")):
        folder = tmp_path / f"cpu/cpu{cpu}/cpufreq"
        folder.mkdir(parents=True)
        (folder / "scaling_governor").write_text(f"{governor}\n")
    assert checks.of_clock(host.clock_source(tmp_path)).fit is False
    assert host.governors(tmp_path) == ["performance", "powersave"]
    assert checks.of_governors(host.governors(tmp_path)).fit is False
    assert checks.of_clock("tsc").fit
    assert checks.of_governors(["performance"]).fit


def test_a_slow_drive_and_one_that_keeps_nothing_are_unfit() -> None:
    buffered = Writes(1000, 3, 9)
    assert [c.fit for c in checks.of_drive("d", Fingerprint(buffered, Writes(100, 300, 900)))] == [True, True]
    assert [c.fit for c in checks.of_drive("d", Fingerprint(buffered, Writes(9, 20_000, 60_000)))] == [False, True]
    assert [c.fit for c in checks.of_drive("d", Fingerprint(buffered, Writes(1000, 3, 9)))] == [True, False]


def test_the_probe_writes_both_ways_and_leaves_nothing(tmp_path: Path) -> None:
    found = drive.fingerprint(tmp_path, seconds=0.2)
    for writes in (found.buffered, found.synced):
        assert writes.count > 0
        assert 0 < writes.p50_us <= writes.p99_us
    assert list(tmp_path.iterdir()) == []


def test_memory_is_no_drive() -> None:
    if not os.access(MEMORY, os.W_OK):
        pytest.skip("no tmpfs to write to")
    _, buffered = checks.of_drive("d", drive.fingerprint(MEMORY, seconds=0.2))
    assert buffered.fit is False
    assert "do not reach a drive" in buffered.remedy


def test_the_command_lists_checks_and_ends_by_their_outcome(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["fitness", "--data-dir", str(tmp_path), "--json"])
    found = json.loads(result.stdout)
    assert {"steal at rest", "loader headroom", "clock source", "CPU governor"} <= {c["name"] for c in found["checks"]}
    assert any(each["name"].startswith(f"drive of {tmp_path}") for each in found["checks"])
    assert found["fit"] == all(each["fit"] is not False for each in found["checks"])
    assert result.exit_code == (0 if found["fit"] else 1)
    assert bool(unfit({"fitness": found})) == (not found["fit"])


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["fitness", "--data-dir", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert "none: no such folder" in result.output
