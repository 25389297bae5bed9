# SPDX-License-Identifier: Apache-2.0
"""Which workers run here, from the options."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.runs.agreement import Agreement
from tailrace.runs.workers import Workers, from_options

LATER = (datetime.now(UTC) + timedelta(hours=1)).replace(microsecond=0)
TEXT = LATER.isoformat().replace("+00:00", "Z")
AGREEMENT = Agreement("http://10.0.0.5:9300")


def test_a_lone_worker_starts_when_it_is_ready() -> None:
    alone = from_options(None, None, None, None)
    assert (alone.count, alone.mine, alone.start_at) == (1, (0,), None)
    assert alone.arguments(0) == ["--worker", "0/1"]
    assert alone.file(Path("f"), "loadgen.log", 0) == Path("f/loadgen.log")


def test_all_workers_of_one_host_get_one_start() -> None:
    given = from_options(4, None, None, None)
    four = given.ready()
    assert (four.mine, four.leads, four.all_here) == ((0, 1, 2, 3), True, True)
    assert four.start_at is not None
    assert four.start_at > datetime.now(UTC)
    assert len({tuple(four.arguments(worker)[2:]) for worker in four.mine}) == 1
    # The next run of a campaign has its own.
    assert given.ready().environment() != four.environment()
    assert four.file(Path("f"), "loadgen.log", 3) == Path("f/loadgen-3.log")
    assert four.file(Path("f"), "spool", 3) == Path("f/spool-3")


def test_one_worker_of_many_hosts() -> None:
    one = from_options(None, "1/4", TEXT, "big-1", AGREEMENT)
    assert one == Workers(4, (1,), LATER, AGREEMENT)
    assert (one.leads, one.all_here) == (False, False)
    assert one.ready() == one
    assert one.arguments(1) == ["--worker", "1/4", "--start-at", TEXT, "--agreement-url", AGREEMENT.url]


@pytest.mark.parametrize(
    ("workers", "worker", "start_at", "run_id", "message"),
    [
        (2, "0/2", TEXT, "r", "--workers and --worker"),
        (0, None, None, None, "--workers 0"),
        (None, "0/2", None, "r", "--start-at"),
        (None, "0/2", TEXT, None, "--run-id"),
        (None, "0/2", TEXT, "r", "--agreement-url"),
        (None, "2/2", TEXT, "r", "--worker 2/2"),
        (None, "x", TEXT, "r", "--worker x"),
        (2, None, "soon", None, "--start-at soon"),
        (2, None, "2099-01-01T00:00:00", None, "time zone"),
        (2, None, "2001-01-01T00:00:00Z", None, "is in the past"),
    ],
)
def test_what_does_not_fit_is_one_line(
    workers: int | None,
    worker: str | None,
    start_at: str | None,
    run_id: str | None,
    message: str,
) -> None:
    with pytest.raises(BadInput, match=message):
        from_options(workers, worker, start_at, run_id)
