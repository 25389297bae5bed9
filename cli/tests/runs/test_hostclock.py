# SPDX-License-Identifier: Apache-2.0
"""The clock's error and its bound."""

import pytest

from tailrace.runs.hostclock import host_clock, of_chrony

# Reference id, its name, stratum, time, then seconds: offset now, last offset, RMS offset, ppm of
# frequency, residual, skew, root delay, root dispersion, update interval, leap status.
TRACKING = (
    "A9FEA97B,169.254.169.123,4,1700000000.1,-0.000012,0.000003,0.00001,-7.1,0.001,0.02,0.000400,0.000100,16.1,Normal"
)


def test_chronys_bound_is_offset_dispersion_and_half_the_delay() -> None:
    clock = of_chrony(TRACKING)
    assert clock is not None
    assert clock["source"] == "chrony"
    assert clock["synchronised"]
    assert clock["offset_us"] == pytest.approx(-12)
    assert clock["bound_us"] == pytest.approx(12 + 100 + 200)


def test_chrony_without_a_source_is_not_synchronised() -> None:
    clock = of_chrony(TRACKING.replace("Normal", "Not synchronised"))
    assert clock is not None
    assert not clock["synchronised"]


def test_what_is_not_trackings_line_is_nothing() -> None:
    assert of_chrony("506 Cannot talk to daemon") is None


def test_this_hosts_clock_has_a_bound() -> None:
    clock = host_clock()
    assert clock["source"] in {"chrony", "kernel"}
    assert clock["bound_us"] >= abs(clock["offset_us"]) or not clock["synchronised"]
    assert 0 <= clock["bound_us"] <= 60_000_000
