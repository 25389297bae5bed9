# SPDX-License-Identifier: Apache-2.0
"""The command installed from its wheel, far from any checkout."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tailrace.stack.paths import REPO_ROOT

Command = Callable[..., "subprocess.CompletedProcess[str]"]
pytestmark = pytest.mark.usefixtures("client")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """``installed("query", "--list")``: the wheel's command, in a home and a folder with nothing of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=REPO_ROOT / "cli", check=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True)
    # The packages of this Python serve the new environment too. Python ignores .pth files in such a folder, so the
    # editable install stays out of reach.
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"))

    def run(*arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TAILRACE_HOME")}
        return subprocess.run(
            [str(folder / "venv" / "bin" / "tailrace"), *arguments],
            capture_output=True,
            text=True,
            cwd=folder,
            env=kept | {"HOME": str(folder)} | env,
        )

    return run


def test_it_has_the_queries(installed: Command) -> None:
    done = installed("query", "--list")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(list((REPO_ROOT / "queries").glob("*.sql")))
    done = installed("query", "latency_percentiles", "--print", "--run", "full")
    assert "FROM v_" in done.stdout, done.stderr


def test_it_has_the_migrations_and_the_report(installed: Command, tmp_path: Path) -> None:
    # Every connection compares the warehouse's schema with the newest migration.
    done = installed("report", "full", "--out", str(tmp_path / "report.html"))
    assert done.returncode == 0, done.stderr
    assert "uPlot" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_it_has_the_experiments(installed: Command) -> None:
    done = installed("experiments", "--list")
    assert done.returncode == 0, done.stderr
    assert "0-fsync" in done.stdout


def test_what_it_cannot_build_it_names_with_a_remedy(installed: Command) -> None:
    workload = str(REPO_ROOT / "workloads" / "smoke.yaml")
    done = installed("plan", workload)
    assert done.returncode == 2
    assert re.fullmatch(r"Error: \S+/loadgen\S*\.jar missing; run make setup .* TAILRACE_HOME .*\n", done.stderr)
    assert installed("plan", workload, TAILRACE_HOME=str(REPO_ROOT / ".tailrace")).returncode == 0


def test_the_lock_file_for_work_has_the_pins_of_the_whole_lock_file() -> None:
    run, whole = (
        set(re.findall(r"^\S+==\S+|--hash=\S+", (REPO_ROOT / "cli" / name).read_text(encoding="utf-8"), re.M))
        for name in ("requirements-run.lock", "requirements.lock")
    )
    assert run
    assert run <= whole
