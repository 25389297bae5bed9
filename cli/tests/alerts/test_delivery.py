# SPDX-License-Identifier: Apache-2.0
"""An alert goes from a latency to a webhook and back, and into the run's events."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from alerting_stand import Alerting
from clickhouse_connect.driver.client import Client
from victoriametrics_server import send

from tailrace.metrics.alerts import SELECTOR, Alert, copy_alerts, firings
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.queries import catalogue

RUN = "alerting"
FAST = "9.500e-03...1.050e-02"
SLOW = "2.950e-01...3.050e-01"
BUCKET = "tailrace_publish_latency_seconds_bucket"
ALERT = "PublishLatencyOverSLO"


class Load:
    """Live histograms of a run: 100 messages a second, into the bucket of the moment."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._counts = {FAST: 0, SLOW: 0}

    def tick(self, bucket: str) -> None:
        self._counts[bucket] += 100
        now = int(time.time() * 1000)
        for vmrange, count in self._counts.items():
            send(self._url, BUCKET, {"tailrace_run_id": RUN, "vmrange": vmrange}, {now: count})
        total = sum(self._counts.values())
        send(self._url, "tailrace_messages_sent_total", {"tailrace_run_id": RUN}, {now: total})

    def until(self, bucket: str, alerting: Alerting, status: str, patience_s: float) -> float:
        """Keep up the load until the webhook heard of it; how many seconds that took."""
        start = time.monotonic()
        while time.monotonic() - start < patience_s:
            self.tick(bucket)
            if (status, ALERT) in [told[:2] for told in alerting.webhook.received]:
                return time.monotonic() - start
            time.sleep(1)
        raise AssertionError(f"no {status} {ALERT} in {patience_s} s: {alerting.webhook.received}")


def events(client: Client) -> list[dict[str, Any]]:
    question = catalogue.load("alerts")
    result = client.query(question.text, parameters=question.fill({"run_id": RUN}))
    return list(result.named_results())


def test_an_alert_fires_resolves_and_becomes_an_event(alerting: Alerting, client: Client) -> None:
    began = datetime.now(UTC)
    load = Load(alerting.metrics_url)
    for _ in range(8):
        load.tick(FAST)
        time.sleep(1)
    assert alerting.webhook.received == []
    fired = load.until(SLOW, alerting, "firing", 90)
    resolved = load.until(FAST, alerting, "resolved", 90)
    print(f"RESULT alert_fired_s={fired:.1f} alert_resolved_s={resolved:.1f}")
    labels = next(told[2] for told in alerting.webhook.received if told[1] == ALERT)
    assert (labels["run_id"], labels["severity"]) == (RUN, "warning")

    source = VictoriaMetrics(alerting.metrics_url)
    # vmalert tells the webhook at once, and writes what it told some seconds later.
    deadline = time.monotonic() + 30
    while [one.open for one in stored(source, began) if one.name == ALERT] != [False]:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    ended = datetime.now(UTC) + timedelta(seconds=1)
    for _ in range(2):  # a second copy adds nothing
        copied = copy_alerts(source, client, RUN, ms(began), ms(ended))
        assert copied >= 1
    rows = [row for row in events(client) if row["name"] == ALERT]
    assert len(rows) == 1
    assert rows[0]["severity"] == "warning"
    assert began < rows[0]["start_time"] < rows[0]["end_time"].replace(tzinfo=UTC) < ended


def stored(source: VictoriaMetrics, since: datetime) -> list[Alert]:
    until = ms(datetime.now(UTC))
    return firings(source.export(SELECTOR, ms(since), until), RUN, until)


def ms(time_of_day: datetime) -> int:
    return int(time_of_day.timestamp() * 1000)
