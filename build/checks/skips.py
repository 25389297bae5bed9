# SPDX-License-Identifier: Apache-2.0
"""Compares the tests that were skipped with those that may be: skips.toml. Standard library only."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from outcomes import Outcomes

FILE = Path(__file__).with_name("skips.toml")


@dataclass(frozen=True)
class Need:
    """What a machine may be without, and the tests that are skipped then: names, which may end with ``*``."""

    name: str
    remedy: str
    tests: tuple[str, ...]

    def covers(self, test: str) -> bool:
        return any(fnmatchcase(test, pattern) for pattern in self.tests)


@dataclass(frozen=True)
class AllowedSkips:
    """``budget``: how many tests a run of CI may skip."""

    budget: int
    needs: tuple[Need, ...]

    @classmethod
    def read(cls, file: Path = FILE) -> "AllowedSkips":
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        needs = tuple(Need(need["name"], need["remedy"], tuple(need["tests"])) for need in content["need"])
        return cls(content["budget"], needs)

    def not_tried(self, outcomes: Outcomes) -> Iterator[str]:
        """Lines that show what this machine could not try, and what it needs for it."""
        for need in self.needs:
            covered = [(test, why) for test, why in outcomes.skipped if need.covers(test)]
            if covered:
                yield f"not tried: {len(covered)} tests, which need {need.name}; {need.remedy}"
                yield from (f"    {test}: {why}" for test, why in covered)

    def problems(self, outcomes: Outcomes, *, ci: bool, all_ran: bool) -> Iterator[str]:
        """Lines for which the suite fails. ``all_ran``: every suite ran, so every allowed skip names a test of it."""
        for test, why in outcomes.skipped:
            if not any(need.covers(test) for need in self.needs):
                yield f"{test} was skipped ({why}) and is not in {FILE.name}; let it run, or list it with what it needs"
        if ci and len(outcomes.skipped) > self.budget:
            yield f"{len(outcomes.skipped)} tests were skipped, the budget of CI is {self.budget}; meet their needs"
        if all_ran:
            names = {*outcomes.passed, *outcomes.failed, *(test for test, _why in outcomes.skipped)}
            for pattern in (pattern for need in self.needs for pattern in need.tests):
                if not any(fnmatchcase(name, pattern) for name in names):
                    yield f"{FILE.name}: no test {pattern}; remove it or correct the name"
