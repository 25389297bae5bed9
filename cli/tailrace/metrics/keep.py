# SPDX-License-Identifier: Apache-2.0
"""Keeps the metrics of a run that has just ended."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import click
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace.metrics.alerts import copy_alerts
from tailrace.metrics.copy import copy
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError
from tailrace.queries import catalogue
from tailrace.warehouse import first_line

# Kept around a run: enough to see what came before it, and its last flushes.
BEFORE = timedelta(seconds=15)
AFTER = timedelta(seconds=5)
# How much later than AFTER the last samples may arrive.
PATIENCE_S = 15.0
# Scraped every second while the stack is up, so its samples tell how far the metrics have come.
LAST = 'up{job="node"}'


def keep(
    source: VictoriaMetrics,
    client: Client,
    run_id: str,
    started: datetime,
    finished: datetime,
    say: Callable[[str], None],
) -> None:
    """Wait for the run's last samples, for a bounded time, and copy them all.

    Without metrics a run is still a run: what goes wrong is a warning on stderr.
    """
    start, end = started - BEFORE, finished + AFTER
    left = (end - datetime.now(UTC)).total_seconds()
    try:
        if not source.wait_until(LAST, _ms(end), max(left, 0) + PATIENCE_S):
            _warn("the last host metrics of this run did not arrive; they stop before its end")
        copied = copy(source, client, run_id, _ms(start), _ms(end))
        alerts = copy_alerts(source, client, run_id, _ms(started), _ms(end))
        fired = _fired(client, run_id) if alerts else ""
    except VictoriaMetricsError as err:
        _warn(f"no host metrics for this run: {err}")
        return
    except ClickHouseError as err:
        _warn(f"the host metrics of this run are not all stored: {first_line(err)}")
        return
    if not copied.samples:
        _warn("no host metrics for this run: VictoriaMetrics has no sample of its time")
        return
    stale = f", {copied.stale} staleness markers left out" if copied.stale else ""
    if fired:
        say(f"{fired}; tailrace query alerts --run {run_id} names them")
    say(f"copied {copied.samples} samples of {copied.series} host and broker series{stale}")


def _fired(client: Client, run_id: str) -> str:
    """How many in which phase: while a JVM is cold an alert is no surprise."""
    question = catalogue.load("alerts")
    rows = client.query(question.text, parameters=question.fill({"run_id": run_id}))
    phases = Counter(row["phase"] or "start" for row in rows.named_results())
    parts = ", ".join(f"{count} in {phase}" for phase, count in phases.items())
    return f"alerts fired: {phases.total()} ({parts})"


def _ms(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def _warn(text: str) -> None:
    click.echo(f"warning: {text}", err=True)
