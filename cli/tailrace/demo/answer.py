# SPDX-License-Identifier: Apache-2.0
"""What ``tailrace explain`` finds in the demo's run, beside what the demo did."""

from collections.abc import Iterator
from datetime import UTC, datetime

from tailrace.explain.explanation import ExplainedEpisode, Explanation
from tailrace.explain.text import calm, headline, scattered, verdict
from tailrace.marks.reading import Mark, beside

EXPECTED = "drive_neighbour"
NO_EPISODE = "none"


def cause(explanation: Explanation, made: Mark) -> str:
    """The cause of the episode that the demo made, as explain names it; ``none`` if it found no episode then."""
    found = _during(explanation, made)
    return found[0].verdict.cause if found else NO_EPISODE


def lines(explanation: Explanation, made: Mark | None) -> Iterator[str]:
    """The answer for a terminal. ``made``: what the demo did, if anything."""
    yield "tailrace explain, from the measurements alone (marks are never evidence):"
    for each in explanation.episodes:
        yield f"  {headline(each)}"
        yield f"    {verdict(each.verdict)}"
        yield f"    {each.verdict.why}"
    if not explanation.episodes:
        yield f"  {calm(explanation)}"
    elif explanation.scattered:
        yield f"  outside of {'it' if len(explanation.episodes) == 1 else 'them'} {scattered(explanation)}"
    if made is not None:
        yield _comparison(explanation, made)
    yield f"evidence and queries: tailrace up; tailrace explain {explanation.reader.run_id}"


def _comparison(explanation: Explanation, made: Mark) -> str:
    did = f"the demo's neighbour used the drive from {_clock(made.start)} to {_clock(made.end)} UTC"
    named = cause(explanation, made)
    if named == NO_EPISODE:
        return f"{did}; explain found no episode then: the drive stayed fast enough, or the run was too noisy to tell"
    if named != EXPECTED:
        return f"{did}; explain names {named} then, so it is wrong, or something else was worse"
    return f"{did}; explain named it. The percentiles above include these seconds."


def _during(explanation: Explanation, made: Mark) -> list[ExplainedEpisode]:
    return [e for e in explanation.episodes if beside([made], e.episode.start, e.episode.end + 1)]


def _clock(second: float) -> str:
    return f"{datetime.fromtimestamp(second, UTC):%H:%M:%S}"
