# SPDX-License-Identifier: Apache-2.0
"""What the tests of a suite did, by name, read from the reports of their runners. Standard library only."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Outcomes:
    """Names of tests; ``skipped`` has each with its reason. ``broken``: the runner itself failed."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    broken: bool = False

    def add(self, other: "Outcomes") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.broken |= other.broken

    def passed_functions(self) -> set[str]:
        """The last parts of the names of the tests that passed."""
        return {name.rpartition(".")[2] for name in self.passed}


def from_junit(reports: list[Path], exit_code: int) -> Outcomes:
    found = Outcomes()
    for report in reports:
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            name = _without_parameters(f"{case.get('classname')}.{case.get('name')}")
            skip = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                found.failed.append(name)
            elif skip is not None:
                found.skipped.append((name, skip.get("message") or (skip.text or "").strip() or "no reason given"))
            else:
                found.passed.append(name)
    found.broken = exit_code != 0 and not found.failed
    return found


def _without_parameters(name: str) -> str:
    return re.split(r"[\[({]", name, maxsplit=1)[0]


def of_go_test(found: Outcomes, event: dict[str, str], printed: list[str]) -> None:
    """Adds the end of a test that ``go test -json`` reports. ``printed``: the test's own lines."""
    name = f"{event['Package']}.{event['Test']}"
    if event["Action"] == "pass":
        found.passed.append(name)
    elif event["Action"] == "fail":
        found.failed.append(name)
    elif event["Action"] == "skip":
        own = [line.strip() for line in printed if not line.lstrip().startswith(("===", "---"))]
        found.skipped.append((name, own[-1] if own else "no reason given"))
