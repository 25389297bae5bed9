# SPDX-License-Identifier: Apache-2.0
"""Alerts that fired during a run, copied from VictoriaMetrics into ``run_events``.

vmalert writes a sample of ``ALERTS`` at every evaluation at which an alert is pending or firing,
and a staleness marker when it is over. An event is one time of firing without a gap.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from tailrace.metrics.victoriametrics import VictoriaMetrics

SELECTOR = 'ALERTS{alertstate="firing"}'
# The slowest group of dashboards/alerts is evaluated once a minute; twice that long is an end.
LONGEST_PAUSE_MS = 120_000
# Labels of the rule engine, not of what the alert is about.
_MACHINERY = ("alertname", "alertgroup", "alertstate", "run_id", "tailrace_run_id", "severity")


@dataclass(frozen=True)
class Alert:
    """One time an alert fired: first and last sample, ms since 1970. ``open``: it did not end."""

    name: str
    severity: str
    about: dict[str, str]
    start_ms: int
    end_ms: int
    open: bool

    def detail(self) -> str:
        """JSON: severity, end (s since 1970, null while it fires) and the labels."""
        end = None if self.open else self.end_ms / 1000
        return json.dumps({"severity": self.severity, "end": end, "labels": self.about})


def firings(lines: Iterable[bytes], run_id: str, end_ms: int) -> list[Alert]:
    """What fired, from lines of ``/api/v1/export``; alerts that name another run are left out.

    A firing whose last sample is less than a pause before ``end_ms``, and that no staleness marker
    ended, is still open.
    """
    samples: dict[tuple[tuple[str, str], ...], list[tuple[int, bool]]] = {}
    for line in lines:
        document = json.loads(line)
        labels = dict(document["metric"])
        labels.pop("__name__", None)
        if labels.get("run_id", run_id) != run_id:
            continue
        values = zip(document["timestamps"], document["values"], strict=True)
        kept = samples.setdefault(tuple(sorted(labels.items())), [])
        kept.extend((time, value is not None) for time, value in values)
    found = [
        alert for labels_of, times in samples.items() for alert in _periods(dict(labels_of), sorted(times), end_ms)
    ]
    return sorted(found, key=lambda alert: (alert.start_ms, alert.name))


def _periods(labels: dict[str, str], times: list[tuple[int, bool]], end_ms: int) -> list[Alert]:
    periods: list[tuple[int, int, bool]] = []
    going = False
    for time, fires in times:
        if not fires:
            if going:
                start, last, _ = periods[-1]
                periods[-1] = (start, last, False)
            going = False
            continue
        if going and time - periods[-1][1] <= LONGEST_PAUSE_MS:
            periods[-1] = (periods[-1][0], time, True)
        else:
            periods.append((time, time, True))
        going = True
    about = {key: value for key, value in labels.items() if key not in _MACHINERY}
    return [
        Alert(
            labels["alertname"],
            labels.get("severity", ""),
            about,
            start,
            last,
            unended and end_ms - last <= LONGEST_PAUSE_MS,
        )
        for start, last, unended in periods
    ]


def copy_alerts(source: VictoriaMetrics, client: Client, run_id: str, start_ms: int, end_ms: int) -> int:
    """Copy what fired in ``[start_ms, end_ms]`` as events of kind ``alert``; how many there were.

    Copying again stores nothing twice. Raises VictoriaMetricsError, or the client's errors.
    """
    found = firings(source.export(SELECTOR, start_ms, end_ms), run_id, end_ms)
    if found:
        columns = ("run_id", "worker", "time", "kind", "name", "detail")
        rows = [[run_id, 0, alert.start_ms * 1000, "alert", alert.name, alert.detail()] for alert in found]
        client.insert(
            "run_events",
            rows,
            column_names=columns,
            settings={"insert_deduplication_token": f"{run_id}/run_events/alerts"},
        )
    return len(found)
