# SPDX-License-Identifier: Apache-2.0
"""``tailrace compare`` accepts the arguments that the report of a campaign's run suggests."""

import pytest

from tailrace.report.campaign import Campaign, Member


@pytest.mark.parametrize(
    ("runs", "arguments"),
    [
        ({"a": 0, "b": 1, "c": 2}, "a b c"),
        ({"a": 0, "b": 0, "c": 1, "d": 1}, "a,b c,d"),
        # Repeats of one point alone are compared with each other.
        ({"a": 3, "b": 3}, "a b"),
        # A campaign that goes on: the last point has no repeat yet.
        ({"a": 0, "b": 0, "c": 1, "d": 1, "e": 2}, "a,b c,d"),
        ({"a": 0, "b": 0, "c": 1}, "a c"),
    ],
)
def test_the_sides_are_all_single_runs_or_all_repeats(runs: dict[str, int], arguments: str) -> None:
    members = [Member(run, point, run, "pass", {}, own=False) for run, point in runs.items()]
    assert Campaign("sweep", members, 0).arguments == arguments
