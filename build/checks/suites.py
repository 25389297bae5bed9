#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs test suites, shows what they print, and ends with one line that counts every test.

Usage: suites.py            all suites
       suites.py java go    only these

Java's and the roles' tests wait more than they work, so go's and python's run beside them; whole runs have the machine
to themselves. A suite that fails does not stop the next one; the exit code is 1 when any test or suite failed.
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
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".tailrace" / "build"
PYTEST = ROOT / ".tailrace" / "venv" / "bin" / "pytest"
GO_MODULES = (
    "collector/exporter/blockexporter",
    "warehouse",
    "schemas",
    "probes",
    "dashboards/proof",
)

# Tests of one suite that passed, failed and were skipped; ``broken`` where the runner itself failed.
Count = Counter[str]


def from_junit(reports: list[Path], exit_code: int) -> Count:
    total: Count = Counter()
    for report in reports:
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
            failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            total.update(passed=tests - failed - skipped, failed=failed, skipped=skipped)
    total["broken"] = int(exit_code != 0 and not total["failed"])
    return total


def java() -> Count:
    reports = BUILD / "loadgen" / "surefire-reports"
    for old in reports.glob("TEST-*.xml"):
        old.unlink()
    exit_code = run_logged("java", ["mvn", "-B", "-q", "-f", "loadgen/pom.xml", "verify"])
    return from_junit(sorted(reports.glob("TEST-*.xml")), exit_code)


def run_logged(name: str, command: list[str]) -> int:
    """Runs a suite beside others: its output goes to a file, shown at its end."""
    log = BUILD / f"test-{name}.log"
    with log.open("wb") as output:
        exit_code = subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT).returncode
    print(f"== {name}, in {log.relative_to(ROOT)}:\n{_shown(log)}", flush=True)
    return exit_code


def _shown(log: Path) -> str:
    """All of it where it is short, else its end: a failing suite prints why there."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(line[:300] for line in lines[-200:])


def go() -> Count:
    return sum((go_module(ROOT / module) for module in GO_MODULES), Counter())


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
    broken = int(running.returncode != 0 and not failed)
    return Counter(passed=outcomes["pass"], failed=failed, skipped=outcomes["skip"], broken=broken)


def pytest(name: str, selection: str, *options: str) -> Count:
    report = BUILD / f"pytest-{name}.xml"
    report.unlink(missing_ok=True)
    slowest = ["--durations=12", "--durations-min=10"]
    command = [str(PYTEST), "-q", "-m", selection, *options, *slowest, f"--junitxml={report}"]
    done = subprocess.run(command, cwd=ROOT)
    return from_junit([report] if report.exists() else [], done.returncode)


def ansible() -> Count:
    """The roles' own environment runs their tests; cargo, where there is one, the VRL programs."""
    report = BUILD / "pytest-ansible.xml"
    report.unlink(missing_ok=True)
    exit_code = run_logged("ansible", ["make", "--silent", "test-ansible", f"JUNIT={report}"])
    total = from_junit([report] if report.exists() else [], exit_code)
    if shutil.which("cargo") is None:
        print("no cargo: the VRL programs are not compiled")
        return total + Counter(skipped=1)
    vrl = subprocess.run(["make", "--silent", "test-vrl"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(vrl.stdout, end="")
    counted = re.search(r"^(\d+) passed, (\d+) failed$", vrl.stdout, re.M)
    if counted is None:
        return total + Counter(broken=1)
    broken = int(vrl.returncode != 0 and counted[2] == "0")
    return total + Counter(passed=int(counted[1]), failed=int(counted[2]), broken=broken)


SUITES: dict[str, Callable[[], Count]] = {
    "java": java,
    "go": go,
    # Two processes, each with whole files: most tests wait for a server that starts or answers.
    "python": lambda: pytest("python", "not e2e", "-n", "2", "--dist", "loadfile"),
    "ansible": ansible,
    "e2e": lambda: pytest("e2e", "e2e"),
}
# They wait more than they work, and run one after another beside go and python.
BESIDE = ("java", "ansible")


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
        waiting = [beside.submit(run, name) for name in chosen if name in BESIDE]
        for name in chosen:
            if name not in BESIDE and name != "e2e":
                run(name)
        for each in waiting:
            each.result()
    if "e2e" in chosen:
        run("e2e")
    total: Count = Counter()
    print()
    for name in chosen:
        count, seconds = results[name]
        total += count
        counts = f"{count['passed']:5} passed {count['failed']:3} failed {count['skipped']:3} skipped"
        print(f"{name:8} {counts} {seconds:7.1f} s{'  THE RUNNER FAILED' if count['broken'] else ''}")
    failed = total["failed"] + (1 if total["broken"] else 0)
    print(f"{total['passed']} passed, {failed} failed, {total['skipped']} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
