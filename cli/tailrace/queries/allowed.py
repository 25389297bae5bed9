# SPDX-License-Identifier: Apache-2.0
"""Checks a query's parameters against their types and the ``in`` clauses of the header.

``in a|b|1..|>c`` allows the texts a and b, numbers from 1 on (ends of a range may be open), and
values greater than parameter c; likewise ``>=`` and ``<``.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

_BITS = re.compile(r"(U?)Int(\d+)")
_RANGE = re.compile(r"(-?[\d.]*\d)?\.\.(-?[\d.]*\d)?")
_OTHER = re.compile(r"(>=|>|<)(\w+)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {">": operator.gt, ">=": operator.ge, "<": operator.lt}


def number(type_name: str, text: str) -> float | None:
    """The value as a number, a time as seconds since 1970; None for other types.

    Raises ValueError for a text that is no value of the type; its message describes the type.
    """
    if whole := _BITS.fullmatch(type_name):
        bits = int(whole[2])
        low, high = (0, 2**bits - 1) if whole[1] else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        if not re.fullmatch(r"-?\d+", text) or not low <= int(text) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)
    if type_name.startswith("Float"):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError("a number")
        return value
    if type_name.startswith("DateTime"):
        try:
            return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
        except ValueError:
            raise ValueError("a time in UTC such as 2026-01-15T10:00:00") from None
    return None


def fault(name: str, values: Mapping[str, str], types: Mapping[str, str], clause: str) -> str:
    """If the value of ``name`` is invalid, what it must be; else an empty text.

    ``clause`` is the header's ``in`` clause without ``in``, or empty. The values of preceding parameters are valid.
    """
    text = values[name]
    try:
        value = number(types[name], text)
    except ValueError as err:
        return str(err)
    if not clause:
        return ""
    choices = clause.split("|")
    if any(_fits(choice, text, value, values, types) for choice in choices):
        return ""
    return " or ".join(_words(choice, values) for choice in choices)


def _fits(choice: str, text: str, value: float | None, values: Mapping[str, str], types: Mapping[str, str]) -> bool:
    if value is None:
        return choice == text
    if span := _RANGE.fullmatch(choice):
        low, high = (float(end) if end else None for end in span.groups())
        return (low is None or value >= low) and (high is None or value <= high)
    if other := _OTHER.fullmatch(choice):
        limit = number(types[other[2]], values[other[2]])
        return limit is not None and _COMPARE[other[1]](value, limit)
    return value == float(choice)


def _words(choice: str, values: Mapping[str, str]) -> str:
    if span := _RANGE.fullmatch(choice):
        low, high = span.groups()
        if low is None or high is None:
            return f"at least {low}" if low else f"at most {high}"
        return f"{low} to {high}"
    if other := _OTHER.fullmatch(choice):
        return f"{other[1]} {other[2]} ({values[other[2]]})"
    return choice
