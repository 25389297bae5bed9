#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs test suites, shows what they print, and ends with one line that counts every test.

Usage: suites.py            all suites
       suites.py java go    only these

Java's tests wait more than they work, so the others run beside them. Whole runs come last, two at
a time, and at the very end those that need the machine to themselves. A suite that fails does not stop the next one;
the exit code is 1 when any test or suite failed.
Standard library only.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import methodology
from outcomes import Outcomes, from_junit, of_go_test
from skips import AllowedSkips

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".tailrace" / "build"
PYTEST = ROOT / ".tailrace" / "venv" / "bin" / "pytest"
JAVA_PARTS = ("loadgen", "brokeragent/agent", "brokeragent/shipping")
GO_MODULES = (
    "collector/exporter/blockexporter",
    "warehouse",
    "schemas",
    "probes",
    "dashboards/proof",
)
# Each with whole files: most tests wait for a server that starts or answers.
TWO_PROCESSES = ("-n", "2", "--dist", "loadfile")


def java() -> Outcomes:
    def reports() -> list[Path]:
        return sorted(file for part in JAVA_PARTS for file in BUILD.glob(f"{part}/surefire-reports/TEST-*.xml"))

    for old in reports():
        old.unlink()
    # The broker agent's build contains the load generator's.
    exit_code = run_logged("java", ["mvn", "-B", "-q", "-f", "probes/brokeragent/pom.xml", "verify"])
    return from_junit(reports(), exit_code)


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


def go() -> Outcomes:
    total = Outcomes()
    for module in GO_MODULES:
        total.add(go_module(ROOT / module))
    return total


def go_module(module: Path) -> Outcomes:
    found = Outcomes()
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
            elif action in ("pass", "fail", "skip") and test:
                of_go_test(found, event, printed.get(test, []))
                if action != "pass":
                    print("".join(printed.get(test, [])), end="")
            elif action in ("output", "build-output") and not event["Output"].startswith("PASS"):
                print(event["Output"], end="")
    found.broken = running.returncode != 0 and not found.failed
    return found


def pytest(name: str, selection: str, *options: str) -> Outcomes:
    report = BUILD / f"pytest-{name}.xml"
    report.unlink(missing_ok=True)
    slowest = ["--durations=12", "--durations-min=10"]
    command = [str(PYTEST), "-q", "-m", selection, *options, *slowest, f"--junitxml={report}"]
    done = subprocess.run(command, cwd=ROOT)
    return from_junit([report] if report.exists() else [], done.returncode)


def e2e() -> Outcomes:
    found = pytest("e2e", "e2e and not alone", *TWO_PROCESSES)
    found.add(pytest("e2e-alone", "e2e and alone"))
    return found


def ansible() -> Outcomes:
    """The roles' own environment runs their tests; cargo, where there is one, the VRL programs."""
    report = BUILD / "pytest-ansible.xml"
    report.unlink(missing_ok=True)
    exit_code = run_logged("ansible", ["make", "--silent", "test-ansible", f"JUNIT={report}"])
    found = from_junit([report] if report.exists() else [], exit_code)
    if shutil.which("cargo") is None:
        found.skipped.append(("ansible.vrl", "no cargo: the VRL programs are not compiled"))
        return found
    vrl = subprocess.run(["make", "--silent", "test-vrl"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(vrl.stdout, end="")
    counted = re.search(r"^(\d+) passed, (\d+) failed$", vrl.stdout, re.M)
    passed, failed = (int(counted[1]), int(counted[2])) if counted else (0, 0)
    found.passed += ["ansible.vrl"] * passed
    found.failed += ["ansible.vrl"] * failed
    found.broken |= vrl.returncode != 0 and not failed
    return found


SUITES: dict[str, Callable[[], Outcomes]] = {
    "java": java,
    "go": go,
    "python": lambda: pytest("python", "not e2e", *TWO_PROCESSES),
    "ansible": ansible,
    "e2e": e2e,
}
# It waits more than it works, and takes as long as go, python and ansible together.
BESIDE = ("java",)


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"no suite {', '.join(unknown)}; there are: {', '.join(SUITES)}", file=sys.stderr)
        return 2
    BUILD.mkdir(parents=True, exist_ok=True)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    chosen = names or list(SUITES)
    results: dict[str, tuple[Outcomes, float]] = {}

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
    total = Outcomes()
    print()
    for name in chosen:
        count, seconds = results[name]
        total.add(count)
        counts = f"{len(count.passed):5} passed {len(count.failed):3} failed {len(count.skipped):3} skipped"
        print(f"{name:8} {counts} {seconds:7.1f} s{'  THE RUNNER FAILED' if count.broken else ''}")
    return verdict(total, all_ran=set(chosen) == set(SUITES))


def verdict(total: Outcomes, *, all_ran: bool) -> int:
    """Prints what was skipped, what is wrong with it and the line of counts; returns the exit code."""
    ci = bool(os.environ.get("CI"))
    allowed = AllowedSkips.read()
    for line in allowed.not_tried(total):
        print(line)
    problems = list(allowed.problems(total, ci=ci, all_ran=all_ran))
    if all_ran:
        problems += methodology.not_run(total, ci=ci)
    for line in [*total.failed, *problems]:
        print(f"FAILED {line}")
    failed = len(total.failed) + total.broken
    print(f"{len(total.passed)} passed, {failed} failed, {len(total.skipped)} skipped")
    return 1 if failed or problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
