#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs test suites, shows what they print, and ends with one line that counts every test.

Usage: suites.py            all suites
       suites.py java go    only these

Java's tests wait more than they work, so go's and python's run beside them; whole runs have the machine to
themselves. A suite that fails does not stop the next one; the exit code is 1 when any test or suite failed.
Standard library only.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".tailrace" / "build"
PYTEST = ROOT / ".tailrace" / "venv" / "bin" / "pytest"
GO_MODULES = (
    "collector/exporter/blockexporter",
    "warehouse",
    "schemas",
    "probes/ioprobe",
    "probes/procprobe",
    "dashboards/proof",
)


@dataclass(frozen=True)
class Count:
    """What became of the tests of one suite; ``broken`` when the runner itself failed."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    broken: bool = False

    def __add__(self, other: "Count") -> "Count":
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.broken or other.broken,
        )


def from_junit(reports: list[Path], exit_code: int) -> Count:
    total = Count()
    for report in reports:
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
            failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            total += Count(tests - failed - skipped, failed, skipped)
    return total + Count(broken=exit_code != 0 and total.failed == 0)


def java() -> Count:
    """Its output goes to a file, shown at its end: it runs beside others."""
    reports = BUILD / "loadgen" / "surefire-reports"
    for old in reports.glob("TEST-*.xml"):
        old.unlink()
    log = BUILD / "test-java.log"
    with log.open("wb") as output:
        done = subprocess.run(
            ["mvn", "-B", "-q", "-f", "loadgen/pom.xml", "verify"], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
        )
    print(f"== java, in {log.relative_to(ROOT)}:\n{_shown(log)}", flush=True)
    return from_junit(sorted(reports.glob("TEST-*.xml")), done.returncode)


def _shown(log: Path) -> str:
    """All of it where it is short, else its end: a failing suite prints why there."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(line[:300] for line in lines[-200:])


def go() -> Count:
    total = Count()
    for module in GO_MODULES:
        total += go_module(ROOT / module)
    return total


def go_module(module: Path) -> Count:
    outcomes = {"pass": 0, "fail": 0, "skip": 0}
    command = ["go", "test", "-json", "-count=1", "-shuffle=on", "./..."]
    with subprocess.Popen(command, cwd=module, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        printed: dict[str, list[str]] = {}
        for line in running.stdout:
            if not line.startswith("{"):
                print(line, end="")
                continue
            event = json.loads(line)
            test, action = event.get("Test"), event["Action"]
            if action == "output" and test:
                printed.setdefault(test, []).append(event["Output"])
            elif action in outcomes and test:
                outcomes[action] += 1
                if action != "pass":
                    print("".join(printed.get(test, [])), end="")
            elif action in ("output", "build-output") and not event["Output"].startswith("PASS"):
                print(event["Output"], end="")
    failed = outcomes["fail"]
    return Count(outcomes["pass"], failed, outcomes["skip"], running.returncode != 0 and not failed)


def pytest(name: str, selection: str) -> Count:
    report = BUILD / f"pytest-{name}.xml"
    report.unlink(missing_ok=True)
    command = [str(PYTEST), "-q", "-m", selection, f"--junitxml={report}"]
    done = subprocess.run(command, cwd=ROOT)
    return from_junit([report] if report.exists() else [], done.returncode)


def ansible() -> Count:
    """The roles' own environment runs their tests; cargo, where there is one, the VRL programs."""
    report = BUILD / "pytest-ansible.xml"
    report.unlink(missing_ok=True)
    done = subprocess.run(["make", "--silent", "test-ansible", f"JUNIT={report}"], cwd=ROOT)
    total = from_junit([report] if report.exists() else [], done.returncode)
    if shutil.which("cargo") is None:
        print("no cargo: the VRL programs are not compiled")
        return total + Count(skipped=1)
    said = subprocess.run(["make", "--silent", "test-vrl"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(said.stdout, end="")
    counted = re.search(r"^(\d+) passed, (\d+) failed$", said.stdout, re.M)
    if counted is None:
        return total + Count(broken=True)
    return total + Count(int(counted[1]), int(counted[2]), broken=said.returncode != 0 and counted[2] == "0")


SUITES: dict[str, Callable[[], Count]] = {
    "java": java,
    "go": go,
    "python": lambda: pytest("python", "not e2e"),
    "ansible": ansible,
    "e2e": lambda: pytest("e2e", "e2e"),
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"no suite {', '.join(unknown)}; there are: {', '.join(SUITES)}", file=sys.stderr)
        return 2
    BUILD.mkdir(parents=True, exist_ok=True)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    chosen = names or list(SUITES)
    results: dict[str, tuple[Count, float]] = {}

    def run(name: str) -> None:
        print(f"== {name}", flush=True)
        started = time.monotonic()
        results[name] = SUITES[name](), time.monotonic() - started

    with ThreadPoolExecutor(max_workers=1) as beside:
        java_done = beside.submit(run, "java") if "java" in chosen else None
        for name in chosen:
            if name == "e2e" and java_done is not None:
                java_done.result()
            if name != "java":
                run(name)
        if java_done is not None:
            java_done.result()
    table, total = [], Count()
    for name in chosen:
        count, seconds = results[name]
        total += count
        note = "  THE RUNNER FAILED" if count.broken else ""
        table.append(
            f"{name:8} {count.passed:5} passed {count.failed:3} failed {count.skipped:3} skipped {seconds:7.1f} s{note}"
        )
    print("\n" + "\n".join(table))
    failed = total.failed + (1 if total.broken else 0)
    print(f"{total.passed} passed, {failed} failed, {total.skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
