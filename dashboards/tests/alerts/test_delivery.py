# SPDX-License-Identifier: Apache-2.0
"""An alert goes from a latency to a webhook and back, and into the run's events.

How soon is printed, beside the goal, and not asserted: a busy machine is late for its own reasons.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from alerting_stand import Alerting
from clickhouse_connect.driver.client import Client

from lab.stand.victoriametrics import send
from tailrace.api import ALERT_SELECTOR, Alert, VictoriaMetrics, catalogue, copy_alerts, firings

RUN = "alerting"
FAST = "9.500e-03...1.050e-02"
SLOW = "2.950e-01...3.050e-01"
# In place of a bucket: messages are sent, and the broker acknowledges none.
NEVER = ""
BUCKET = "tailrace_publish_latency_seconds_bucket"
ALERT = "PublishLatencyOverSLO"
STALLED = "AcksOverdue"
# The SLO is crossed with the first slow acknowledgement, or the SLO after the last one.
GOAL = "goal_alert_s=10"
SLO_S = 0.1


class Load:
    """Live metrics of a run: 100 messages a second, acknowledged in the bucket of the moment."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._counts = {FAST: 0, SLOW: 0}
        self._sent = 0

    def tick(self, bucket: str) -> None:
        self._sent += 100
        if bucket != NEVER:
            self._counts[bucket] += 100
        now = int(time.time() * 1000)
        run = {"tailrace_run_id": RUN}
        for vmrange, count in self._counts.items():
            send(self._url, BUCKET, run | {"vmrange": vmrange}, {now: count})
        counts = {"sent": self._sent, "acked": sum(self._counts.values()), "failed": 0}
        for what, count in counts.items():
            send(self._url, f"tailrace_messages_{what}_total", run, {now: count})

    def until(self, bucket: str, alert: tuple[str, str], alerting: Alerting, patience: int) -> float:
        """Keep up the load until the webhook heard of it; how many seconds that took."""
        start = time.monotonic()
        for second in range(patience):
            self.tick(bucket)
            while alert not in [heard[:2] for heard in alerting.webhook.received]:
                if time.monotonic() > start + second + 1:
                    break
                time.sleep(0.02)
            else:
                return time.monotonic() - start
        raise AssertionError(f"no {alert} in {patience} s: {alerting.webhook.received}")


def well(load: Load, alerting: Alerting) -> None:
    for _ in range(8):
        load.tick(FAST)
        time.sleep(1)
    assert alerting.webhook.received == []


def events(client: Client) -> list[dict[str, Any]]:
    question = catalogue.load("alerts")
    result = client.query(question.text, parameters=question.fill({"run_id": RUN}))
    return list(result.named_results())


def test_an_alert_fires_resolves_and_becomes_an_event(alerting: Alerting, client: Client) -> None:
    began = datetime.now(UTC)
    load = Load(alerting.metrics_url)
    well(load, alerting)
    fired = load.until(SLOW, ("firing", ALERT), alerting, 90)
    resolved = load.until(FAST, ("resolved", ALERT), alerting, 90)
    print(f"RESULT alert={ALERT} alert_s={fired:.1f} resolved_s={resolved:.1f} {GOAL}")
    labels = next(alert[2] for alert in alerting.webhook.received if alert[1] == ALERT)
    assert (labels["run_id"], labels["severity"]) == (RUN, "warning")

    source = VictoriaMetrics(alerting.metrics_url)
    # vmalert notifies the webhook at once, and writes the alert some seconds later.
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


def test_a_broker_that_acknowledges_nothing_raises_an_alert(alerting: Alerting) -> None:
    load = Load(alerting.metrics_url)
    well(load, alerting)
    fired = load.until(NEVER, ("firing", STALLED), alerting, 90) - SLO_S
    print(f"RESULT alert={STALLED} alert_s={fired:.1f} {GOAL}")
    labels = next(alert[2] for alert in alerting.webhook.received if alert[1] == STALLED)
    assert (labels["run_id"], labels["severity"]) == (RUN, "warning")


def stored(source: VictoriaMetrics, since: datetime) -> list[Alert]:
    until = ms(datetime.now(UTC))
    return firings(source.export(ALERT_SELECTOR, ms(since), until), RUN, until)


def ms(time_of_day: datetime) -> int:
    return int(time_of_day.timestamp() * 1000)
