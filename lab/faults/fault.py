# SPDX-License-Identifier: Apache-2.0
"""A kind of fault, and a fault that is ready to be injected."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

import psutil

from lab.faults.drive import Drive
from lab.faults.journal import Journal
from lab.faults.stand import PLAIN, FaultStand

STRONG = "strong"
WEAK = "weak"
Strength = Mapping[str, float]


@dataclass(frozen=True)
class Scene:
    """A run that is under load, on its drive."""

    stand: FaultStand
    drive: Drive
    run_id: str

    @property
    def journal(self) -> Journal:
        return self.stand.journal

    @property
    def broker(self) -> psutil.Process:
        return self.stand.broker

    def loaders(self) -> list[psutil.Process]:
        return self.stand.loaders(self.run_id)


@dataclass(frozen=True)
class Fault:
    """``measure``: called before and in the middle; ``took_effect``: whether (before, during) shows the
    fault. Entering ``inject`` returns when it is there, leaving it when it is undone."""

    measure: Callable[[], float]
    unit: str
    took_effect: Callable[[float, float], bool]
    inject: Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class Kind:
    """``cause``: the word that `tailrace explain` has for it; ``also``: words that are right as well.
    ``strengths``: what `make` is given, by name; ``seconds`` in it is how long the fault lasts. ``missing``: why this
    machine cannot do it, a line per reason. ``on_drive``: the cause is the drive, so its name belongs to the truth.
    ``workers``: load generators the run needs. ``prepare``: done before the run; ``lead_s``: how long it may take until
    the fault is there."""

    name: str
    cause: str
    strengths: Mapping[str, Strength]
    make: Callable[[Scene, Strength], Fault]
    missing: Callable[[], list[str]] = list
    drive: str = PLAIN
    on_drive: bool = False
    also: tuple[str, ...] = ()
    workers: int = 1
    prepare: Callable[[FaultStand, Strength], None] | None = None
    lead_s: float = 0


def levels(**amounts: tuple[float, float]) -> dict[str, Strength]:
    """Both strengths, from the strong and the weak value of each amount."""
    return {name: {amount: values[n] for amount, values in amounts.items()} for n, name in enumerate((STRONG, WEAK))}


def slower(times: float, at_least: float) -> Callable[[float, float], bool]:
    """Took effect if ``during`` is at least this multiple of ``before``, and at least ``at_least``."""
    return lambda before, during: during >= max(times * before, at_least)


def higher(by: float) -> Callable[[float, float], bool]:
    """Took effect if ``during`` is at least that much above ``before``."""
    return lambda before, during: during >= before + by
