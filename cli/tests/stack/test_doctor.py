# SPDX-License-Identifier: Apache-2.0
"""The doctor runs without any package installed and gives one line per missing program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tailrace.stack.doctor import TOOLS
from tailrace.stack.paths import REPO_ROOT

# The interpreter without the venv's packages: what `make doctor` starts with.
BARE_PYTHON = (os.path.realpath(sys.executable), "-S")


def run_doctor(path: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BARE_PYTHON, "-m", "tailrace.stack.doctor", *arguments],
        env={"PATH": str(path), "PYTHONPATH": str(REPO_ROOT / "cli"), **env},
        capture_output=True,
        text=True,
        check=False,
    )


def fake(folder: Path, name: str, output: str) -> None:
    script = folder / name
    script.write_text(f"#!/bin/sh\necho '{output}'\n", encoding="utf-8")
    script.chmod(0o755)


def test_every_missing_tool_is_one_line_with_a_remedy(tmp_path: Path) -> None:
    result = run_doctor(tmp_path, "--tools")
    lines = result.stdout.splitlines()
    assert result.returncode == 2
    assert result.stderr == ""
    assert len(lines) == len(TOOLS)
    for tool, line in zip(TOOLS, lines, strict=True):
        assert line.startswith(f"missing  {tool.name} ")
        assert "not found on PATH; " in line


@pytest.mark.parametrize(
    ("name", "output", "finding"),
    [
        ("java", 'openjdk version "11.0.2" 2019-01-15', "java is 11.0.2"),
        ("mvn", "Apache Maven 3.6.3", "mvn is 3.6.3"),
        ("go", "go1.19.8", "go is 1.19.8"),
        ("node", "v18.19.0", "node is 18.19.0"),
        ("npm", "what?", "npm prints no version"),
    ],
)
def test_an_old_or_odd_tool_is_named(tmp_path: Path, name: str, output: str, finding: str) -> None:
    fake(tmp_path, name, output)
    result = run_doctor(tmp_path, "--tools")
    (line,) = [row for row in result.stdout.splitlines() if row.startswith(f"missing  {name} ")]
    assert finding in line


def test_new_enough_tools_are_no_lack(tmp_path: Path) -> None:
    for name, output in {
        "java": 'openjdk version "25.0.3" 2026-04-21',
        "javac": "javac 17.0.15",
        "mvn": "Apache Maven 3.8.7",
        "go": "go1.26",
        "node": "v20.20.2",
        "npm": "11.19.1",
        "make": "GNU Make 4.3",
    }.items():
        fake(tmp_path, name, output)
    result = run_doctor(tmp_path, "--tools")
    assert (result.returncode, result.stdout) == (0, "")


def test_chromium_is_optional(tmp_path: Path) -> None:
    line = "optional  chromium: apt install chromium (the report's browser tests)"
    assert line in run_doctor(tmp_path).stdout.splitlines()
    fake(tmp_path, "chromium-browser", "Chromium 150")
    assert "optional" not in run_doctor(tmp_path).stdout


def test_a_bad_ports_file_is_a_lack(tmp_path: Path) -> None:
    result = run_doctor(tmp_path, TAILRACE_PORTS=str(tmp_path / "none.env"))
    assert result.returncode == 2
    assert "TAILRACE_PORTS" in result.stdout
