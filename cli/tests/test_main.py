# SPDX-License-Identifier: Apache-2.0
"""The command loads its rooms when they are called, and ends with the documented exit codes."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tailrace.main import SUBCOMMANDS, cli

COMMAND = Path(sys.executable).with_name("tailrace")


def test_help_lists_every_command_without_importing_one() -> None:
    probe = (
        "import sys; from tailrace.main import cli\n"
        "cli.main(['--help'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith('tailrace.')])"
    )
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    *_, modules = result.stdout.splitlines()
    assert modules == "['tailrace.contracts', 'tailrace.errors', 'tailrace.main']"
    for name in SUBCOMMANDS:
        assert f"\n  {name} " in result.stdout


def test_a_room_that_cannot_be_imported_breaks_only_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(SUBCOMMANDS, "report", ("tailrace.absent:command", "Absent."))
    monkeypatch.setenv("TAILRACE_STATE", str(tmp_path))
    assert isinstance(CliRunner().invoke(cli, ["report"]).exception, ModuleNotFoundError)
    assert CliRunner().invoke(cli, ["status"]).exit_code == 1


def test_bad_input_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    result = subprocess.run(
        [COMMAND, "up"],
        env={"TAILRACE_PORTS": str(tmp_path / "none.env"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "none.env" in result.stderr


def test_unknown_command_is_exit_code_2() -> None:
    result = subprocess.run([COMMAND, "fly"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "fly" in result.stderr


@pytest.mark.parametrize("command", ["run", "audit", "query", "report"])
def test_help_shows_examples(command: str) -> None:
    shown = CliRunner().invoke(cli, [command, "--help"])
    assert shown.exit_code == 0
    assert f"tailrace {command}" in shown.output.split("Examples:")[1]
