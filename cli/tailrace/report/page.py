# SPDX-License-Identifier: Apache-2.0
"""Writes the report's page from the run's data."""

import shlex
from pathlib import Path

from tailrace.marks import reading as marked
from tailrace.page import frame
from tailrace.page.specs import embedded
from tailrace.page.words import phase_words
from tailrace.queries.ask import Ask, RunReader, concurrently
from tailrace.queries.publish_delay import delayed_percentile
from tailrace.report import campaign, charts, configuration, episodes, facts, heat, logs, slowest, spread, stages
from tailrace.report.data import RunData
from tailrace.stages import SHORT


def write(target: Path, data: RunData, reader: RunReader, ask: Ask, unread: list[str]) -> None:
    """Read what the page shows beside ``data`` and write it. ``ask`` adds to ``unread`` meanwhile."""
    # The explanation takes about as long as all others together.
    with concurrently(1) as beside:
        explained = beside.submit(episodes.read, data, reader)
        heatmaps, spreads, runs = heat.specs(data, ask), spread.read(data, ask), campaign.read(data, ask)
        logged, marks = logs.read(data, ask), marked.read(ask)
        staged = stages.read(data, reader, ask, unread)
        found = explained.result()
    timeline = charts.over_time(data)
    heats = heatmaps if timeline else []
    drives = [(drive, charts.drive_charts(data, drive)) for drive in data.drives if drive.device]
    curve = charts.percentile_curve(data)
    correlations = [
        (drive, spec, drive.strongest(charts.METRICS)) for drive in data.drives if (spec := charts.lags(drive))
    ]
    partitions = spread.spec(data, spreads)
    stage_drives = stages.beside(staged, [spec for _, specs in drives for spec in specs[:2]])
    run_id = data.summary["run_id"]
    curves = runs.charts() if runs else []
    drawn = [*timeline, *heats, *(spec for _, specs in drives for spec in specs if timeline)]
    drawn += [*([curve] if curve else []), *curves, *([partitions] if partitions else [])]
    drawn += [*(side.spec for side in staged), *stage_drives, *(spec for _, spec, _ in correlations)]
    spans = [(each.name, phase_words(each.name), each.start, each.end) for each in data.phases]
    spans += [("episode", each.cause, each.start, each.end) for each in found.findings]
    spans += [("mark", each.text, each.start, each.end) for each in marks]
    frame.write(
        target,
        "--out",
        "tailrace.report",
        "report.html.j2",
        data=data,
        run_id=run_id,
        run_argument=shlex.quote(run_id),
        page=embedded(run_id, data.origin, data.seconds, drawn, spans),
        header=facts.header(data),
        notices=facts.notices(data),
        unmeasured=facts.unmeasured(data),
        unread=unread,
        rate=facts.rate(data),
        late=delayed_percentile(data.percentiles),
        worst=slowest.worst_second(data),
        audit=data.stored["audit"],
        timeline=timeline,
        heats=heats,
        drives=drives,
        curve=curve,
        stages=staged,
        stage_drives=stage_drives,
        campaign=runs,
        campaign_curves=curves,
        episodes=found,
        logs=logged,
        complaints=logs.COMPLAINTS,
        marks=marks,
        spread=spreads,
        short=SHORT,
        spread_window=spread.window_words(spreads),
        partitions=partitions,
        correlations=correlations,
        **configuration.sections(data),
    )
