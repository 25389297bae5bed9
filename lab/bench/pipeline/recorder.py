# SPDX-License-Identifier: Apache-2.0
"""make bench-recorder: what recording one event costs the Kafka callback thread (JMH)."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab.bench.machine import headline
from lab.bench.pipeline.stand import BENCH_BUILD, java
from lab.stand.errors import StandError

_BENCHMARKS = r"io\.tailrace\.bench\.RecorderBenchmark"


@dataclass(frozen=True)
class Score:
    """ns per event; ``error`` is half of JMH's 99.9 % confidence interval. Bytes by the recording thread alone."""

    nanos: float
    error: float
    bytes: float


def main() -> None:
    print(headline(), flush=True)
    report = BENCH_BUILD / "recorder.json"
    report.unlink(missing_ok=True)
    command = java("org.openjdk.jmh.Main", _BENCHMARKS, "-rf", "json", "-rff", str(report), "-v", "SILENT")
    done = subprocess.run(command, check=False)
    if done.returncode or not report.exists():
        raise StandError(f"JMH ended with code {done.returncode}")
    scores = read(report)
    for name, score in scores.items():
        print(f"{name:10} {score.nanos:6.2f} ± {score.error:.2f} ns  {score.bytes:.4f} B allocated an event")
    print(f"load {os.getloadavg()[0]:.1f}")
    allocated = max(scores["acked"].bytes, scores["received"].bytes)
    print(
        f"RESULT acked_ns={scores['acked'].nanos:.1f} received_ns={scores['received'].nanos:.1f}"
        f" clock_ns={scores['clock'].nanos:.1f} alloc_b={allocated:.3f}"
    )


def read(report: Path) -> dict[str, Score]:
    """By benchmark method."""
    scores = {}
    for entry in json.loads(report.read_text()):
        metric, extra = entry["primaryMetric"], entry["secondaryMetrics"]
        events = extra["events"]["score"] if "events" in extra else 0
        scores[entry["benchmark"].rpartition(".")[2]] = Score(
            metric["score"],
            metric["scoreError"],
            extra["allocatedBytes"]["score"] / events if events else 0,
        )
    return scores
