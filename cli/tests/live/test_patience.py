# SPDX-License-Identifier: Apache-2.0
"""How long ``tailrace watch`` waits, on a simulated clock."""

from tailrace.live.patience import NEVER_S, OUTAGE_S, QUIET_S, Patience


def test_an_address_that_never_answered_is_given_up_soon() -> None:
    patient = Patience(100)
    patient.refused()
    assert not patient.outage_over(100 + NEVER_S)
    assert patient.outage_over(101 + NEVER_S)


def test_a_service_that_has_answered_is_given_longer() -> None:
    patient = Patience(100)
    patient.answered(False, 150)
    patient.refused()
    assert not patient.outage_over(150 + OUTAGE_S)
    assert patient.outage_over(151 + OUTAGE_S)


def test_a_run_without_metrics_is_abandoned_in_the_end() -> None:
    patient = Patience(0)
    patient.answered(True, 10)
    patient.answered(True, 10 + QUIET_S)
    assert not patient.abandoned(10 + QUIET_S)
    assert patient.abandoned(11 + QUIET_S)


def test_a_run_with_metrics_or_during_an_outage_is_not_abandoned() -> None:
    patient = Patience(0)
    patient.answered(True, 10)
    patient.answered(False, 100)
    assert not patient.abandoned(100 + 2 * QUIET_S)
    patient.answered(True, 500)
    # The metrics of a run return some seconds after VictoriaMetrics.
    patient.refused()
    patient.answered(True, 500 + 2 * QUIET_S)
    assert not patient.abandoned(500 + 2 * QUIET_S)
