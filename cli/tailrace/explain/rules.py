# SPDX-License-Identifier: Apache-2.0
"""Reads the rules that name a cause, and the conditions that they share, from ``rules.yaml``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml

from tailrace.explain import conditions
from tailrace.explain.conditions import Condition, both, either, without
from tailrace.stages import EXPLAINED

_TESTS = (
    *(conditions.rose, conditions.spiked, conditions.fell, conditions.vanished, conditions.reached),
    *(conditions.persisted, conditions.never, conditions.calm, conditions.stayed, conditions.small),
    *(conditions.measured, conditions.unmeasured),
)
TESTS: Mapping[str, Callable[..., Condition]] = {test.__name__: test for test in _TESTS}


@dataclass(frozen=True)
class Rule:
    """The fields are explained in ``rules.yaml``."""

    cause: str
    why: str
    weight: float
    needs: tuple[Condition, ...]
    unless: tuple[Condition, ...] = ()
    supports: tuple[Condition, ...] = ()
    stages: tuple[str, ...] = EXPLAINED
    names_drive: bool = False


def _condition(text: Any, named: Mapping[str, Condition]) -> Condition:
    if isinstance(text, dict):
        ((word, inner),) = text.items()
        return {"either": either, "both": both}[word](*(_condition(each, named) for each in inner))
    first, _, rest = text.partition(" ")
    if first == "not":
        return without(_condition(rest, named))
    if not rest:
        return named[first]
    signal, *numbers = rest.split()
    pairs = dict(each.split("=") for each in numbers if "=" in each)
    given = {key: value if key == "than" else float(value) for key, value in pairs.items()}
    return TESTS[first](signal, *(float(each) for each in numbers if "=" not in each), **given)


def _read() -> tuple[Rule, ...]:
    found = yaml.safe_load(files("tailrace.explain").joinpath("rules.yaml").read_text("utf-8"))
    named: dict[str, Condition] = {}
    for name, text in found["conditions"].items():
        named[name] = _condition(text, named)
    rules = []
    for rule in found["rules"]:
        for key in ("needs", "unless", "supports"):
            rule[key] = tuple(_condition(text, named) for text in rule.get(key, ()))
        rules.append(Rule(**{**rule, "stages": tuple(rule.get("stages", EXPLAINED))}))
    return tuple(rules)


RULES = _read()
