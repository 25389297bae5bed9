# SPDX-License-Identifier: Apache-2.0
"""Keeps the metrics and alerts of a run that has ended."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import click
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace.metrics.alerts import copy_alerts
from tailrace.metrics.copy import Copied, copy
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError
from tailrace.queries.ask import rows
from tailrace.warehouse import first_line

# Kept around a run: enough to see what came before it, and its last flushes.
BEFORE = timedelta(seconds=15)
AFTER = timedelta(seconds=5)
# How much later than AFTER the last samples may arrive.
PATIENCE_S = 15.0
# Scraped every second while the stack is up, so its samples tell how far the metrics have come.
LAST = 'up{job="node"}'

_T = TypeVar("_T")


def keep(
    source: VictoriaMetrics,
    client: Client,
    run_id: str,
    started: datetime,
    finished: datetime,
    say: Callable[[str], None],
) -> bool:
    """Wait for the run's last samples, for a bounded time, and copy them all, and its alerts.

    Without metrics a run is still a run: what goes wrong is a warning on stderr. False when
    something of either is not stored that VictoriaMetrics may have: calling again copies the rest.
    """
    start, end = started - BEFORE, finished + AFTER
    left = (end - datetime.now(UTC)).total_seconds()
    try:
        arrived = source.wait_until(LAST, _ms(end), max(left + PATIENCE_S, 0))
    except VictoriaMetricsError as err:
        _warn(f"no host metrics for this run: {err}")
        return False
    if not arrived:
        _warn("the last host metrics of this run did not arrive; they stop before its end")
    # One may fail without the other.
    told = _attempt("alerts", lambda: _alerts(source, client, run_id, _ms(started), _ms(end)))
    if told:
        say(f"{told}; tailrace query alerts --run {run_id} names them")
    copied = _attempt("host metrics", lambda: copy(source, client, run_id, _ms(start), _ms(end)))
    if copied is not None:
        _tell(copied, say)
    return told is not None and copied is not None


def _attempt(what: str, work: Callable[[], _T]) -> _T | None:
    try:
        return work()
    except VictoriaMetricsError as err:
        reason = str(err)
    except ClickHouseError as err:
        reason = first_line(err)
    _warn(f"the {what} of this run are not all stored: {reason}")
    return None


def _tell(copied: Copied, say: Callable[[str], None]) -> None:
    if not copied.samples:
        _warn("no host metrics for this run: VictoriaMetrics has no sample of its time")
        return
    stale = f", {copied.stale} staleness markers left out" if copied.stale else ""
    say(f"copied {copied.samples} samples of {copied.series} host and broker series{stale}")


def _alerts(source: VictoriaMetrics, client: Client, run_id: str, start_ms: int, end_ms: int) -> str:
    """How many fired in which phase: while a JVM is cold an alert is no surprise. Empty: none."""
    if not copy_alerts(source, client, run_id, start_ms, end_ms):
        return ""
    phases = Counter(row["phase"] or "start" for row in rows(client, "alerts", run_id=run_id))
    parts = ", ".join(f"{count} in {phase}" for phase, count in phases.items())
    return f"alerts fired: {phases.total()} ({parts})"


def _ms(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def _warn(text: str) -> None:
    click.echo(f"warning: {text}", err=True)
