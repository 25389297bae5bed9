# SPDX-License-Identifier: Apache-2.0
"""A rule that names what does not exist is refused when the rules are read."""

import re
from typing import Any

import pytest
import yaml

from tailrace.explain.rules import RULES, read
from tailrace.explain.signals import KNOWN_SIGNALS, Broker, Signal, View


def text(needs: Any = "fell acked_per_s 0.5", **other: Any) -> str:
    rule = {"cause": "slow_drive", "why": "w", "weight": 0.5, "needs": [needs]}
    conditions = {"drive_slow": "rose drive_write_ms 2.5 1.5"}
    return yaml.safe_dump({"conditions": conditions, "rules": [{**rule, **other}]})


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ("rose drive_wirte_ms 2 1", "rose drive_wirte_ms 2 1: no signal 'drive_wirte_ms'; nearest: drive_write_ms"),
        ("stayed produce_ms than=drive_fush_ms share=1", "no signal 'drive_fush_ms'; nearest: drive_flush_ms"),
        ("spikd drive_write_ms 2 1", "no test 'spikd'; nearest: spiked"),
        ("drive_slwo", "drive_slwo: no condition 'drive_slwo'; nearest: drive_slow"),
        ({"any": ["drive_slow", "not drive_slwo"]}, "no condition 'drive_slwo'"),
        ({"either": ["drive_slow"]}, "no list 'either'"),
        ({"any": ["drive_slow"], "all": ["drive_slow"]}, "give one of any, all"),
        ("fell acked_per_s", "fell acked_per_s: missing a required argument: 'to'; fell takes (name: str, to: float)"),
        ("fell acked_per_s 0.5 1", "too many positional arguments"),
        ("fell acked_per_s half", "could not convert string to float: 'half'"),
        ("fell acked_per_s upto=1", "fell takes (name: str, to: float)"),
    ],
    ids=str,
)
def test_a_wrong_condition_is_refused(needs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^rules\.yaml: rule 1 \(slow_drive\): .*{re.escape(message)}"):
        read(text(needs))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"cause": "slow_driev"}, "no cause 'slow_driev'; nearest: slow_drive"),
        ({"stages": ["publsh"]}, "no stage 'publsh'; nearest: publish"),
        ({"suports": ["drive_slow"]}, "rule 1: suports: no key 'suports'; nearest: supports"),
    ],
    ids=str,
)
def test_a_wrong_key_is_refused(other: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read(text(**other))


def test_a_missing_key_is_refused() -> None:
    with pytest.raises(ValueError, match="rule 1: why is missing"):
        read("conditions: {}\nrules: [{cause: slow_drive, weight: 1, needs: []}]")


def test_a_wrong_shared_condition_is_refused() -> None:
    with pytest.raises(ValueError, match="condition slow: rose disk_ms 2: no signal 'disk_ms'"):
        read("conditions: {slow: rose disk_ms 2}\nrules: []")


def test_computed_signals_are_known() -> None:
    computed = {"acked_per_s", "received_per_s", "publish_service_p50_ms", "leader_changes", "rebalances"}
    assert computed <= KNOWN_SIGNALS


def test_conditions_of_a_list() -> None:
    rose = Signal(
        name="drive_write_ms",
        unit="ms",
        host="",
        device="",
        broker=-1,
        before=1.0,
        during=10.0,
        low=9.0,
        peak=12.0,
        quiet_peak=1.5,
        z=50.0,
        onset_s=0,
        rho=None,
        score=50.0,
    )
    view = View([rose], Broker(1, "h", ""), 10.0)
    for needs, holds in (
        ({"any": ["measured rebalances", "drive_slow"]}, True),
        ({"all": ["measured rebalances", "drive_slow"]}, False),
        ({"all": ["not measured rebalances", "drive_slow"]}, True),
    ):
        (rule,) = read(text(needs))
        assert (rule.needs[0](view) is not None) == holds


def test_the_shipped_rules_are_read() -> None:
    assert len(RULES) > 10
