#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that no off-the-shelf linter knows. Standard library only; exit 1 lists every breach."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT, files, report

CEILING = 300
SOURCE = {".java", ".go", ".py", ".sh", ".js", ".c", ".sql"}
SPDX = {".java", ".go", ".py", ".sh", ".js", ".css", ".c"}
DUMPING_GROUNDS = {"util", "utils", "common", "helper", "helpers", "misc"}
MACHINE_PATH = re.compile(r"(?:^|[^A-Za-z.])/(?:work|root|home/\w+)/")
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")

# What a room must not know (docs/ARCHITECTURE.md): production files of the room, and the words that betray it.
TABLES = r"\b(?:publishes|deliveries|publish_failures|run_events|partition_leaders|rollup_1s|host_metrics)\b"
MUST_NOT_KNOW = [
    ("warehouse/**/*.go", re.compile(TABLES), "Tailrace's tables"),
    ("loadgen/src/main/**/*.java", re.compile(r"\b(?:SELECT\s|INSERT INTO|Grafana)"), "SQL or Grafana"),
    ("workloads/**/*.yaml", re.compile(r"clickhouse|\d+\.\d+\.\d+\.\d+", re.I), "hosts or ClickHouse"),
    ("queries/*.sql", re.compile(r"\$__"), "Grafana macros"),
    ("collector/exporter/**/*.go", re.compile(r"tailrace\.dev/(?:warehouse|schemas)"), "other rooms"),
]


def breaches(path: Path) -> Iterator[str]:
    name = path.relative_to(ROOT)
    # Ansible's own name of the role that every host has.
    parts = set(name.parts[:-1]) - ({"common"} if name.parts[:3] == ("ansible", "roles", "common") else set())
    if DUMPING_GROUNDS & parts:
        yield f"{name}: a folder named {DUMPING_GROUNDS & parts}; name it after its one idea"
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    lines = text.splitlines()
    if path.suffix in SOURCE and len(lines) > CEILING:
        yield f"{name}: {len(lines)} lines, the ceiling is {CEILING}; split it by idea"
    if path.suffix in SPDX and not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:3]):
        yield f"{name}: no SPDX-License-Identifier in its first three lines"
    if name.parts[:2] == ("build", "checks") or path.name in {"go.sum", "package-lock.json"}:
        return
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield f"{name}:{number}: a path of one machine: {line.strip()[:80]}"
        if path.suffix in SOURCE and UNFINISHED.search(line):
            yield f"{name}:{number}: an unfinished mark: {line.strip()[:80]}"


def ignorance() -> Iterator[str]:
    for pattern, betrayal, what in MUST_NOT_KNOW:
        for path in sorted(ROOT.glob(pattern)):
            if path.name.endswith("_test.go"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if betrayal.search(line):
                    yield f"{path.relative_to(ROOT)}:{number}: this room must not know {what}: {line.strip()[:80]}"


def same_test_names(names: list[Path]) -> Iterator[str]:
    """pytest refuses two test files of one name; ansible's tests are a suite of their own."""
    first: dict[str, Path] = {}
    for name in names:
        if name.match("test_*.py") and name.parts[0] != "ansible" and first.setdefault(name.name, name) != name:
            yield f"{name}: another test file has this name, {first[name.name]}; rename one"


def main() -> int:
    names = files()
    found = [breach for name in names for breach in breaches(ROOT / name)]
    found += [*ignorance(), *same_test_names([Path(name) for name in names])]
    return report("house rules", f"{len(names)} files", found, "breaches")


if __name__ == "__main__":
    sys.exit(main())
