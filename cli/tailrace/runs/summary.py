# SPDX-License-Identifier: Apache-2.0
"""A run's numbers for people, and the RESULT line for scripts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from clickhouse_connect.driver.client import Client

from tailrace.audit.verdict import Verdict
from tailrace.page import conditions
from tailrace.page.notices import Notice, Rate, run_notices, target
from tailrace.queries.ask import RunReader, json_object
from tailrace.queries.render import show as show_table

PERCENTILES = ("p50_us", "p75_us", "p90_us", "p95_us", "p99_us", "p99_9_us", "p99_99_us", "max_us")


@dataclass(frozen=True)
class Numbers:
    """One row of ``run_summary`` and the rows of ``latency_percentiles``, by column name; warnings about them."""

    run: Mapping[str, Any]
    stages: tuple[Mapping[str, Any], ...]
    notices: tuple[Notice, ...]


def read(client: Client, run_id: str) -> Numbers:
    """Read the numbers from the warehouse."""
    ask = RunReader(client, run_id).ask
    (run,), stages = ask("run_summary"), ask("latency_percentiles")
    manifest = json_object(ask("run_manifest")[0]["manifest"])
    rate = Rate(run["acked_per_s"], target(manifest), run["acked_bytes_per_s"])
    by_stage = {stage["stage"]: stage for stage in stages}
    return Numbers(run, tuple(stages), tuple(run_notices(run, rate, by_stage, conditions.read(ask, manifest))))


def show(numbers: Numbers, out: TextIO) -> None:
    """Print what makes the numbers doubtful, rates and failures, then the measure phase's latencies in ms."""
    run = numbers.run
    out.write(f"\n{run['run_id']}: {run['state']}, measured {run['measure_s']:.1f} s\n")
    for notice in numbers.notices:
        out.write(f"{'' if notice.kind == 'info' else '! '}{notice.title} {notice.text}\n")
    for side in ("acked", "received"):
        rate, size = run[f"{side}_per_s"], run[f"{side}_bytes_per_s"]
        if rate is not None:
            out.write(f"{side:9}{rate:12,.1f} msg/s {size / 1e6:10,.2f} MB/s\n")
    out.write(f"{'failed':9}{run['failed']:12,} msg   of {run['sent']:,} sent\n")
    header = ["latency ms", "messages", *(name.removesuffix("_us") for name in PERCENTILES)]
    table = [
        [stage["stage"], stage["events"], *(round(stage[p] / 1000, 3) for p in PERCENTILES)] for stage in numbers.stages
    ]
    show_table([name.replace("p99_", "p99.") for name in header], table, out)


def result_line(verdict: Verdict, numbers: Numbers, report: Path | None) -> str:
    """``RESULT key=value …``; ``-`` for a missing value."""
    totals, run = verdict.totals, numbers.run

    def us(stage: str) -> str:
        value = run[f"end_to_end_{stage}_us"]
        return "-" if value is None else str(value)

    return (
        f"RESULT audit={verdict.word} sent={totals.sent} acked={totals.acked}"
        f" received={totals.received} stored_publishes={totals.stored_publishes}"
        f" stored_deliveries={totals.stored_deliveries} e2e_p50_us={us('p50')}"
        f" e2e_p99_us={us('p99')} report={_near(report)}"
    )


# The columns of a table of several runs.
COLUMNS = (
    "acked_per_s",
    "received_per_s",
    "publish_p50_us",
    "publish_p99_us",
    "end_to_end_p50_us",
    "end_to_end_p99_us",
)


def row(verdict: Verdict, numbers: Numbers) -> dict[str, Any]:
    """The run's line in a table of several runs, by column name."""
    return {"audit": verdict.word, **{name: numbers.run[name] for name in COLUMNS}}


def _near(path: Path | None) -> str:
    """The path; relative when it is inside the working folder."""
    if path is None:
        return "-"
    cwd = Path.cwd()
    return str(path.relative_to(cwd) if path.is_relative_to(cwd) else path)
