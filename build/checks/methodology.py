#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that docs/METHODOLOGY.md names must exist. Exit 1 lists those that do not.

After all suites, suites.py asks also that each of them ran and passed.
"""

import re
import sys
from collections.abc import Iterator

from outcomes import Outcomes
from repository import ROOT, report

PAGE = ROOT / "docs" / "METHODOLOGY.md"
JAVA = re.compile(r"^\s*void (\w+)\(", re.MULTILINE)
PYTHON = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def named() -> set[str]:
    """Names in code after *Shown by*, up to the paragraph's end, and in the last column of a table that has one."""
    text = PAGE.read_text()
    places = re.findall(r"\*Shown by\*(.*?)(?:\n\n|\Z)", text, re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, *rows = table.splitlines()
        if head.rstrip(" |").endswith("shown by"):
            places += [row.rstrip(" |").rpartition("|")[2] for row in rows]
    return {name for place in places for name in re.findall(r"`(\w+)`", place)}


def existing() -> set[str]:
    java = [file.read_text() for file in (ROOT / "loadgen/src/test").rglob("*.java")]
    folders = ("cli", "collector", "dashboards", "experiments", "lab", "queries")
    python = [file.read_text() for folder in folders for file in (ROOT / folder).rglob("test_*.py")]
    return {name for text in java for name in JAVA.findall(text)} | {
        name for text in python for name in PYTHON.findall(text)
    }


def not_run(outcomes: Outcomes, *, ci: bool) -> Iterator[str]:
    """Lines about named tests that did not pass, failed ones apart. A skip that is allowed counts in CI alone."""
    passed, failed = outcomes.passed_functions(), {name.rpartition(".")[2] for name in outcomes.failed}
    skipped = {test.rpartition(".")[2]: why for test, why in outcomes.skipped}
    for name in sorted(named() - passed - failed):
        if name not in skipped:
            yield f"docs/METHODOLOGY.md: the test {name} did not run; find out why its suite left it out"
        elif ci:
            yield f"docs/METHODOLOGY.md: the test {name} was skipped ({skipped[name]}); let it run in CI"


def main() -> int:
    names = named()
    advice = "correct the name, or write the test"
    missing = [f"docs/METHODOLOGY.md: no test {name}; {advice}" for name in sorted(names - existing())]
    return report("methodology", f"{len(names)} tests named", missing, "missing") or int(not names)


if __name__ == "__main__":
    sys.exit(main())
