# SPDX-License-Identifier: Apache-2.0
"""Skipped tests are named with what they need; one that is not listed fails the suite, and too many do in CI."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tailrace.api import REPO_ROOT

CHECKS = REPO_ROOT / "build" / "checks"
KCAT = "cli.tests.experiments.test_baselines.test_kcat_does_not_wait_for_the_end"


@pytest.fixture(scope="module")
def suites() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(CHECKS))
        import suites

        yield suites


@pytest.fixture
def small(suites: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The suites with a list of one need and a budget of one."""
    listed = tmp_path / "skips.toml"
    listed.write_text(
        f'budget = 1\n[[need]]\nname = "kcat"\nremedy = "apt install kcat"\ntests = ["{KCAT}", "a.b.*"]\n'
    )
    read = suites.AllowedSkips.read
    monkeypatch.setattr(suites.AllowedSkips, "read", lambda: read(listed))
    monkeypatch.delenv("CI", raising=False)
    return suites


def outcomes(suites: ModuleType, *skipped: str, passed: tuple[str, ...] = ()) -> object:
    return suites.Outcomes(list(passed), [], [(name, "not installed") for name in skipped])


def test_a_listed_skip_is_shown_with_its_remedy(small: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert small.verdict(outcomes(small, KCAT, passed=("x.test_y",)), all_ran=False) == 0
    assert capsys.readouterr().out.splitlines() == [
        "not tried: 1 tests, which need kcat; apt install kcat",
        f"    {KCAT}: not installed",
        "1 passed, 0 failed, 1 skipped",
    ]


def test_a_skip_that_is_not_listed_fails(small: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert small.verdict(outcomes(small, "x.test_of_nothing"), all_ran=False) == 1
    assert "FAILED x.test_of_nothing was skipped (not installed)" in capsys.readouterr().out


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_more_than_the_budget_fail_in_ci(
    small: ModuleType, monkeypatch: pytest.MonkeyPatch, ci: str, code: int
) -> None:
    monkeypatch.setenv("CI", ci)
    assert small.verdict(outcomes(small, KCAT, "a.b.test_c"), all_ran=False) == code
    assert small.verdict(outcomes(small, KCAT), all_ran=False) == 0


def test_a_listed_test_that_does_not_exist_fails(small: ModuleType) -> None:
    allowed = small.AllowedSkips.read()
    problems = list(allowed.problems(outcomes(small, KCAT), ci=False, all_ran=True))
    assert [line.partition(";")[0] for line in problems] == ["skips.toml: no test a.b.*"]


@pytest.mark.parametrize("ci", [True, False])
def test_a_test_that_the_methodology_names_must_have_passed(
    suites: ModuleType, monkeypatch: pytest.MonkeyPatch, ci: bool
) -> None:
    page = suites.methodology
    monkeypatch.setattr(page, "named", lambda: {"shown", "test_skipped", "absent"})
    found = outcomes(suites, "x.test_skipped", passed=("io.tailrace.AnyTest.shown",))
    problems = [line.partition(";")[0] for line in page.not_run(found, ci=ci)]
    assert problems[0] == "docs/METHODOLOGY.md: the test absent did not run"
    assert problems[1:] == ["docs/METHODOLOGY.md: the test test_skipped was skipped (not installed)"] * ci


def test_what_pytest_reports_is_read(suites: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "test_three.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_good(n):\n    pass\n"
        "def test_bad():\n    raise ValueError\n"
        "def test_left_out():\n    pytest.skip('no root')\n"
    )
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", "test_three.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=os.environ | {"PYTHONPATH": ""}, check=False)
    found = suites.from_junit([report], done.returncode)
    assert found == suites.Outcomes(
        ["test_three.test_good"] * 2, ["test_three.test_bad"], [("test_three.test_left_out", "no root")]
    )
    assert suites.from_junit([], 2).broken


def test_what_go_reports_is_read(suites: ModuleType) -> None:
    found = suites.Outcomes()
    events = [
        {"Action": action, "Package": "tailrace.dev/probes", "Test": f"Test{action}"}
        for action in ("pass", "fail", "skip")
    ]
    for event in events:
        printed = ["=== RUN   TestX\n", "    x_test.go:5: needs root\n", "--- SKIP: TestX (0.00s)\n"]
        suites.of_go_test(found, event, printed)
    place = "tailrace.dev/probes.Test"
    assert found == suites.Outcomes([place + "pass"], [place + "fail"], [(place + "skip", "x_test.go:5: needs root")])
