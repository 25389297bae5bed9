# SPDX-License-Identifier: Apache-2.0
"""Warnings that precede a run's numbers: failures, losses, a missed rate, and its conditions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tailrace.page.conditions import Conditions, sentences
from tailrace.page.words import count, latency
from tailrace.queries.publish_delay import delayed_percentile

# Below this share of the target rate, the broker or the load generator did not keep up.
RATE_SHARE = 0.995
UNMEASURED = (
    "whether cores were used up or stolen: the run has no host metrics of its measure phase. Run it again while the "
    "stack is up (tailrace up), or name VictoriaMetrics in TAILRACE_VM_URL."
)


@dataclass(frozen=True)
class Notice:
    """``kind`` is info, warn or fail."""

    kind: str
    title: str
    text: str


@dataclass(frozen=True)
class Rate:
    achieved: float | None
    target: float | None
    bytes_per_s: float | None

    @property
    def share(self) -> float | None:
        if self.achieved is None or not self.target:
            return None
        return self.achieved / self.target


def target(manifest: Mapping[str, Any]) -> float | None:
    """The target rate of the measure phase, messages a second; None if it has none."""
    try:
        phases = manifest["plan"]["phases"]
        rates = [p.get("messages_per_second") for p in phases if p["name"] == "measure"]
        return float(rates[0]) if rates and rates[0] else None
    except (KeyError, TypeError, ValueError, AttributeError):
        # The manifest is missing or of another version, so the rate is unknown.
        return None


def run_notices(
    summary: Mapping[str, Any], rate: Rate, percentiles: Mapping[str, Mapping[str, Any]], conditions: Conditions
) -> list[Notice]:
    """The worst first. ``summary``: the row of ``run_summary_rollup``; ``percentiles``: rows of
    ``latency_percentiles`` by stage, µs."""
    found = []
    if summary["failed"]:
        failed, sent = summary["failed"], summary["sent"]
        text = f"{count(failed)} of {count(sent)} messages were not acknowledged; percentiles exclude them."
        found.append(Notice("fail", "Messages failed.", text))
    if summary["lost"]:
        lost = count(summary["lost"])
        text = f"{lost} recorded events are not stored; the audit lists the loss reasons."
        found.append(Notice("fail", "Rows were lost.", text))
    if rate.share is not None and rate.share < RATE_SHARE:
        text = (
            f"{count(rate.achieved)} of {count(rate.target)} messages a second "
            f"were acknowledged ({100 * rate.share:.1f} %)."
        )
        found.append(Notice("warn", "The target rate was not reached.", text))
    late_at = delayed_percentile(percentiles)
    if late_at:
        stages = ("publish_delay", "publish")
        late, publish = (percentiles[stage][f"{late_at}_us"] for stage in stages)
        text = (
            f"Publish delay {late_at} is {latency(late)} against a publish latency {late_at} of "
            f"{latency(publish)}. The load host was short of CPU, or send() blocked because the "
            "broker was slow; the publish service time excludes this delay."
        )
        found.append(Notice("warn", "The load generator was late.", text))
    found += [Notice("warn", head, text) for head, text in sentences(conditions)]
    if conditions.warmups and all(row["name"] == "steady" for row in conditions.warmups):
        text = f"the warm-up ended {conditions.warmups[0]['detail']}, when nothing moved."
        found.append(Notice("info", "Steady:", text))
    # The metrics of a run are copied at its end.
    if not conditions.hosts and not conditions.unread and summary["state"] != "running":
        found.append(Notice("info", "Not checked:", UNMEASURED))
    return found
