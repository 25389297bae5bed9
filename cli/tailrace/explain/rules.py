# SPDX-License-Identifier: Apache-2.0
"""Reads the rules that name a cause, and the conditions that they share, from ``rules.yaml``.

A condition is one of::

    TEST SIGNAL ARGUMENT…                  a test below: a function of conditions.py, with its arguments in their
                                           order or as KEY=VALUE; all are numbers, but ``than`` is a signal
    NAME                                   a condition that stands above it under ``conditions``
    not TEST SIGNAL ARGUMENT…, not NAME    it does not hold
    {any: […]}, {all: […]}                 a list of conditions

Reading raises ValueError for a test, condition, signal, cause, stage or key that does not exist, and for arguments
that the test does not take. The message names the rule, the text and the nearest name that exists.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any

import yaml

from tailrace.contracts import CAUSES
from tailrace.explain import conditions
from tailrace.explain.conditions import Condition
from tailrace.explain.signals import KNOWN_SIGNALS
from tailrace.nearest import nearest
from tailrace.stages import EXPLAINED

TESTS: Mapping[str, Callable[..., Condition]] = {
    "rose": conditions.rose,
    "spiked": conditions.spiked,
    "fell": conditions.fell,
    "vanished": conditions.vanished,
    "reached": conditions.reached,
    "persisted": conditions.persisted,
    "never": conditions.never,
    "calm": conditions.calm,
    "stayed": conditions.stayed,
    "small": conditions.small,
    "measured": conditions.measured,
    "unmeasured": conditions.unmeasured,
}
LISTS: Mapping[str, Callable[..., Condition]] = {"any": conditions.any_of, "all": conditions.all_of}


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


def read(text: str) -> tuple[Rule, ...]:
    """The rules of a file in their order."""
    found = yaml.safe_load(text)
    named: dict[str, Condition] = {}
    for name, condition in found["conditions"].items():
        named[name] = _condition(condition, named, f"condition {name}")
    return tuple(_rule(rule, named, f"rule {number}") for number, rule in enumerate(found["rules"], 1))


def _rule(entry: Mapping[str, Any], named: Mapping[str, Condition], where: str) -> Rule:
    keys = [field.name for field in fields(Rule)]
    for key in entry:
        _known("key", key, keys, where, key)
    for key in ("cause", "why", "weight", "needs"):
        if key not in entry:
            raise ValueError(f"rules.yaml: {where}: {key} is missing")
    where = f"{where} ({entry['cause']})"
    _known("cause", entry["cause"], CAUSES, where, "cause")
    stages = tuple(entry.get("stages", EXPLAINED))
    for stage in stages:
        _known("stage", stage, EXPLAINED, where, "stages")
    held = {
        key: tuple(_condition(each, named, where) for each in entry.get(key, ()))
        for key in ("needs", "unless", "supports")
    }
    return Rule(**{**entry, **held, "stages": stages})


def _condition(text: Any, named: Mapping[str, Condition], where: str) -> Condition:
    if isinstance(text, dict):
        if len(text) != 1:
            raise ValueError(f"rules.yaml: {where}: {text}: give one of {', '.join(LISTS)}")
        ((word, inner),) = text.items()
        _known("list", word, LISTS, where, word)
        return LISTS[word](*(_condition(each, named, where) for each in inner))
    first, _, rest = text.partition(" ")
    if first == "not":
        return conditions.without(_condition(rest, named, where))
    if not rest:
        _known("condition", first, named, where, text)
        return named[first]
    _known("test", first, TESTS, where, text)
    return _test(TESTS[first], rest.split(), where, text)


def _test(test: Callable[..., Condition], words: list[str], where: str, text: str) -> Condition:
    """A test with its arguments."""
    given = [word.partition("=") for word in words[1:]]
    signals = [words[0], *(value for key, _, value in given if key == "than")]
    for signal in signals:
        _known("signal", signal, KNOWN_SIGNALS, where, text)
    try:
        numbers = [float(word) for word, equals, _ in given if not equals]
        pairs = {key: value if key == "than" else float(value) for key, equals, value in given if equals}
        inspect.signature(test).bind(words[0], *numbers, **pairs)
    except (TypeError, ValueError) as error:
        takes = ", ".join(str(each) for each in inspect.signature(test).parameters.values())
        raise ValueError(f"rules.yaml: {where}: {text}: {error}; {test.__name__} takes ({takes})") from error
    return test(words[0], *numbers, **pairs)


def _known(kind: str, name: str, known: Collection[str], where: str, text: str) -> None:
    """Raise ValueError if there is no such name."""
    if name not in known:
        close = ", ".join(nearest(name, known, 1))
        raise ValueError(f"rules.yaml: {where}: {text}: no {kind} '{name}'; nearest: {close}")


RULES = read(files("tailrace.explain").joinpath("rules.yaml").read_text("utf-8"))
