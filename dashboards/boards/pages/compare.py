# SPDX-License-Identifier: Apache-2.0
"""Two or more runs side by side."""

from typing import Any

from boards import links, rendering
from boards.board import Section, assemble, choice, from_query
from boards.pages.run import STAGES
from boards.panels import AnyPanel, bars, graph, grid
from boards.rendering import STAGE, Expression, points, rows
from boards.targets import sql_series, sql_table

SETTINGS = [
    "run_id",
    "label",
    "workload_name",
    "driver_name",
    "varied",
    "audit",
    "target_per_s",
    "acked_per_s",
    "events",
]
PERCENTILES = ["p50_us", "p90_us", "p99_us", "p99_9_us", "p99_99_us", "max_us"]


def over_time(title: str, column: str) -> AnyPanel:
    """One line for each run."""
    about = "Time since each run's measure phase began, laid from the left edge of the time range on. From the rollup."
    sql = points("runs_over_time", [column], ["run_id"], stage=STAGE)
    return graph(title, about, "µs", sql_series(sql), log=True)


def side_by_side() -> Section:
    """What the runs varied, and their latency and throughput."""
    panels = [
        grid(
            "Runs",
            "What the runs varied and reached in the measure phase. Do not compare a run whose audit failed.",
            sql_table(rows("runs_compared", [*SETTINGS, *PERCENTILES, "measure_s"], stage=STAGE)),
            links={"run_id": [links.row_link(links.RUN, "This run", {"run": "run_id"})]},
        ),
        bars(
            "Percentiles",
            "Of the measure phase, by what the runs varied, from the rollup: within 0.4 %.",
            "µs",
            sql_table(rows("runs_compared", ["label", *PERCENTILES], stage=STAGE)),
            x="label",
        ),
        bars(
            "Throughput",
            "Messages acknowledged per second of the measure phase, by what the runs varied, beside the target.",
            "cps",
            sql_table(rows("runs_compared", ["label", "target_per_s", "acked_per_s"], stage=STAGE)),
            x="label",
        ),
        over_time("p99 over time", "p99_us"),
        over_time("p99.9 over time", "p99_9_us"),
    ]
    return Section("Side by side", panels)


def difference() -> Section:
    """The difference of a run to the baseline."""
    baseline = Expression("${baseline:singlequote}")
    panels = [
        grid(
            "Against the baseline",
            "A quick look: run $run minus $baseline, each row alone with the interval of 95 % of 400 draws of blocks "
            "of 5 s (more in runs of hours); distinct 0: no difference shown. Six rows are six chances to be wrong, "
            "and blocks shorter than what happens in a system make intervals too narrow: the verdict is `tailrace "
            "compare`'s.",
            sql_table(
                rows(
                    "ab_difference",
                    [
                        "percentile",
                        "baseline_us",
                        "run_us",
                        "difference_us",
                        "low_us",
                        "high_us",
                        "difference_percent",
                        "distinct",
                        "blocks",
                    ],
                    baseline=baseline,
                    stage=STAGE,
                )
            ),
        )
    ]
    return Section("Difference of two", panels)


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    newest = rendering.options("runs", "run_id", limit="500")
    variables = [
        from_query("runs", "Runs", newest, multi=True),
        choice("stage", "Latency", STAGES),
        from_query("baseline", "Baseline", newest),
    ]
    sections = [side_by_side(), difference()]
    about = (
        "Runs side by side, by what they varied: a quick look. The verdict, with blocks fitted to the runs, repeats "
        "and a correction for many comparisons, is that of the command `tailrace compare`."
    )
    to = (links.RUN, links.AUDIT)
    # The runs are laid over each other from the left edge on, where no event of theirs has its place.
    return assemble(links.COMPARE, about, sections, variables=variables, to=to, annotated=False)
