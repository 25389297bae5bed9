# SPDX-License-Identifier: Apache-2.0
"""``tailrace stages``: where messages spent their time."""

import json
from datetime import datetime

import click

from tailrace import warehouse
from tailrace.breakdown.document import document
from tailrace.breakdown.parts import BANDS, SIDES
from tailrace.breakdown.reading import PLACES, Choice, read, require
from tailrace.breakdown.text import lines
from tailrace.errors import BadInput
from tailrace.explain.explanation import explain, window
from tailrace.instant import instant
from tailrace.lookup import resolve
from tailrace.options import AS_JSON, RUN_OR_LAST
from tailrace.queries.ask import RunReader


@click.command()
@RUN_OR_LAST
@click.option("--by", type=click.Choice([*PLACES, "second"]), help="A line for each of these.")
@click.option("--side", type=click.Choice(list(SIDES)), default="publish", show_default=True,
              help="Publish latency, or end-to-end latency.")  # fmt: skip
@click.option("--band", type=click.Choice(list(BANDS)), default="all", show_default=True,
              help="All messages, or the slowest of each second.")  # fmt: skip
@click.option("--from", "since", metavar="TIME", help="First second, UTC; default: of the measure phase.")
@click.option("--to", "to", metavar="TIME", help="Last second, UTC; default: of the measure phase.")
@click.option("--episode", type=click.IntRange(1), metavar="N", help="The N-th episode of tailrace explain.")
@AS_JSON
def stages(
    run_id: str,
    by: str | None,
    side: str,
    band: str,
    since: str | None,
    to: str | None,
    episode: int | None,
    as_json: bool,
) -> None:
    """Show where messages of RUN (default: last) spent their time, stage by stage.

    The stages of a message add up to its latency exactly. They need the broker agent
    (tailrace up --request-rows); the first call computes their rollup if the run did not.

    \b
    Examples:
      tailrace stages
      tailrace stages --band slowest-1%
      tailrace stages last --side delivery --by partition
      tailrace stages last --episode 1 --by second
      tailrace stages last --from 2026-01-01T12:00:00 --to 2026-01-01T12:00:30 --json

    Exit status: 0 shown, 2 bad input or a run without request rows.
    """
    if episode and (since or to):
        raise BadInput("--episode is a window already; leave out --from and --to, or --episode")
    first, last = (instant(name, text) if text else None for name, text in (("--from", since), ("--to", to)))
    if first and last and first > last:
        raise BadInput(f"--from {since} is after --to {to}; give the earlier time first")
    client = warehouse.connect()
    reader = RunReader(client, resolve(client, run_id))
    require(reader)
    found = read(reader, Choice(side, band, *_window(reader, first, last, episode)), by or "")
    if as_json:
        click.echo(json.dumps(document(found), ensure_ascii=False, indent=1))
        return
    for line in lines(found):
        click.echo(line)


def _window(
    reader: RunReader, first: datetime | None, last: datetime | None, episode: int | None
) -> tuple[int, int, str]:
    """Start, end and name of the window."""
    if episode:
        episodes = explain(reader).episodes
        if episode > len(episodes):
            raise BadInput(f"--episode {episode}: run {reader.run_id} has {len(episodes)} (tailrace explain)")
        chosen = episodes[episode - 1].episode
        return chosen.start, chosen.end + 1, f"episode {episode}"
    start, end = window(reader)
    if first is None and last is None:
        return start, end, "measure phase"
    begin = int(first.timestamp()) if first else start
    finish = int(last.timestamp()) + 1 if last else end
    if begin >= finish:
        raise BadInput("--from and --to leave no second of the measure phase; give both")
    return begin, finish, "window"
