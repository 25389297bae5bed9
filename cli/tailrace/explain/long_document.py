# SPDX-License-Identifier: Apache-2.0
"""The explanation of a long run as one JSON object."""

from typing import Any

from tailrace.explain.document import log_lines, number, utc
from tailrace.explain.long_run import LongExplanation
from tailrace.explain.shifts import Shift


def document(found: LongExplanation) -> dict[str, Any]:
    """The keys of a short run's document, with ``changes``; ``episodes`` is empty."""
    return {
        "run": found.reader.run_id,
        "from": utc(found.start),
        "to": utc(found.end),
        "baseline": {},
        "episodes": [],
        "changes": [
            *(
                {
                    "kind": "step",
                    "moved": _moved(group),
                    "logs": log_lines(logged),
                    "marked_by_hand": [mark.words for mark in found.marks_beside(group)],
                }
                for group, logged in found.with_logs()
            ),
            *(
                {"kind": "trend", "covers": round(found.covers(each.series), 2), "moved": _moved([each])}
                for each in found.trends
            ),
        ],
        "unseen": found.unseen,
    }


def _moved(group: list[Shift]) -> list[dict[str, Any]]:
    return [
        {
            "metric": each.series.name,
            "host": each.series.host or None,
            "device": each.series.device or None,
            "broker": each.series.broker if each.series.broker >= 0 else None,
            "time": utc(each.at),
            "after_first_s": _after(each, group[0]),
            "exact_to_the_second": each.exact,
            "not_before": utc(each.first),
            "not_after": utc(each.last),
            "before": number(each.before),
            "during": number(each.after),
            "unit": each.series.unit,
            "query": each.series.query,
        }
        for each in group
    ]


def _after(shift: Shift, first: Shift) -> int | None:
    """Seconds after the first; None if the time or the order of the two is unknown."""
    if shift is first:
        return 0
    if (shift.first <= first.last and not shift.same_second(first)) or shift.hidden or first.hidden:
        return None
    return shift.at - first.at
