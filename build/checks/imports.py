#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which room may import which: outside cli/, only tailrace.api and tailrace.contracts. Exit 1 lists each breach."""

import ast
import sys
from collections.abc import Iterator

from repository import ROOT, files, report

TEST_STANDS = ("lab.stand", "lab.simulated")
# Longest folder first: what a file below it may import of tailrace, lab and boards. A module allows those below it.
ALLOWED = {
    "cli/tailrace": ("tailrace",),
    "cli/tests": ("tailrace", *TEST_STANDS),
    "lab/stand": ("tailrace.api", "tailrace.contracts", "lab.stand"),
    "lab/simulated": ("tailrace.api", "tailrace.contracts", *TEST_STANDS),
    "lab/audit": ("tailrace.api", "tailrace.contracts", "lab.audit", *TEST_STANDS),
    "lab/bench": ("tailrace.api", "tailrace.contracts", "lab.bench", *TEST_STANDS),
    "lab/chaos": ("tailrace.api", "tailrace.contracts", "lab.chaos", *TEST_STANDS),
    "lab/faults": ("tailrace.api", "tailrace.contracts", "lab.faults", *TEST_STANDS),
    "lab/powercut": ("tailrace.api", "tailrace.contracts", "lab.powercut", *TEST_STANDS),
    "lab/e2e": ("tailrace.api", "tailrace.contracts", *TEST_STANDS),
    "dashboards": ("tailrace.api", "tailrace.contracts", "boards", *TEST_STANDS),
    "build/tests": ("tailrace.api", "tailrace.contracts"),
    "collector/tests": ("tailrace.api", "tailrace.contracts", *TEST_STANDS),
    "experiments/tests": ("tailrace.api", "tailrace.contracts", *TEST_STANDS),
    "queries/tests": ("tailrace.api", "tailrace.contracts", *TEST_STANDS),
    "": (),
}
HELD = ("tailrace", "lab", "boards")


def imported(source: str) -> Iterator[tuple[int, str]]:
    """Line and full name of each import: ``from a.b import c`` is ``a.b.c``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def breaches(file: str, source: str) -> list[str]:
    folder = next(folder for folder in ALLOWED if file.startswith(f"{folder}/" if folder else ""))
    allowed = ALLOWED[folder]
    return [
        f"{file}:{line}: {name}; {folder or 'this folder'} may import {', '.join(allowed) or 'none of these'}"
        for line, name in imported(source)
        if name.partition(".")[0] in HELD and not f"{name}.".startswith(tuple(f"{module}." for module in allowed))
    ]


def main() -> int:
    names = files("*.py")
    found = [line for name in names for line in breaches(name, (ROOT / name).read_text(encoding="utf-8"))]
    return report("imports", f"{len(names)} Python files", found, "breaches")


if __name__ == "__main__":
    sys.exit(main())
