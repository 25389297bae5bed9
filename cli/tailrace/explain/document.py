# SPDX-License-Identifier: Apache-2.0
"""The explanation as one JSON object."""

import math
from typing import Any

from tailrace.explain.episodes import Baseline
from tailrace.explain.explanation import ExplainedEpisode, Explanation
from tailrace.explain.logs import LogExcerpt
from tailrace.explain.ranking import Cause
from tailrace.queries.ask import moment


def document(explanation: Explanation) -> dict[str, Any]:
    """Keys: run, from, to, baseline, episodes, unseen. Latencies in µs, times RFC 3339."""
    return {
        "run": explanation.reader.run_id,
        "from": utc(explanation.start),
        "to": utc(explanation.end),
        "baseline": {stage: _baseline(each) for stage, each in explanation.baselines.items()},
        "episodes": [_episode(explanation, each) for each in explanation.episodes],
        "unseen": explanation.unseen,
    }


def utc(second: int) -> str:
    return f"{moment(second)}Z"


def _baseline(found: Baseline) -> dict[str, int]:
    return {
        "p50_us": round(found.p50),
        "p99_us": round(found.p99),
        "p50_limit_us": round(found.p50_limit),
        "p99_limit_us": round(found.p99_limit),
        "seconds": found.seconds,
    }


def _episode(explanation: Explanation, explained: ExplainedEpisode) -> dict[str, Any]:
    episode, verdict = explained.episode, explained.verdict
    best = verdict.best
    return {
        "from": utc(episode.start),
        "to": utc(episode.end + 1),
        "stage": episode.stage,
        "p99_us": None if math.isnan(episode.p99) else round(episode.p99),
        "baseline_p99_us": round(explained.baseline.p99),
        "verdict": {
            "cause": verdict.cause,
            "device": best.device if best else None,
            "broker": best.broker if best else None,
            "confidence": verdict.confidence,
            "why": verdict.why,
            "query": explained.ranking,
        },
        "ranked": [_cause(explanation, explained, cause) for cause in verdict.ranked],
        "logs": log_lines(explained.logged),
        "marked_by_hand": [each.words for each in explained.marks],
    }


def log_lines(logged: LogExcerpt | None) -> dict[str, Any] | None:
    """Log lines around an episode or a step; None for a run without logs."""
    if logged is None:
        return None
    return {
        "lines": [
            vars(line) | {"time": line.time.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "pause_ms": number(line.pause_ms)}
            for line in logged.lines
        ],
        "more_kinds": logged.more,
        "all_lines": logged.all_lines,
        "query": logged.command,
    }


def _cause(explanation: Explanation, explained: ExplainedEpisode, cause: Cause) -> dict[str, Any]:
    return {
        "cause": cause.name,
        "score": cause.score,
        "device": cause.device,
        "broker": cause.broker,
        "why": cause.why,
        "evidence": [
            {
                "metric": signal.name,
                "host": signal.host or None,
                "device": signal.device or None,
                "before": number(signal.before),
                "during": number(signal.during),
                "peak": number(signal.peak),
                "z": number(signal.z),
                "onset_s": signal.onset_s,
                "rho": number(signal.rho),
                "unit": signal.unit,
                "query": explanation.query(explained, signal),
            }
            for signal in cause.signals
        ],
    }


def number(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
