# SPDX-License-Identifier: Apache-2.0
"""The windows in which the rollup of stages is computed."""

from tailrace.breakdown.rollup import windows


def test_windows_hold_at_most_so_many_rows_and_every_second_once() -> None:
    seconds = [(10, 4), (11, 4), (13, 9), (14, 1), (15, 1)]
    assert list(windows(seconds, 8)) == [(10, 12), (13, 14), (14, 16)]
    assert list(windows([], 8)) == []
