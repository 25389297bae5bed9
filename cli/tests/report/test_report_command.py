# SPDX-License-Identifier: Apache-2.0
"""``tailrace report`` on the command line."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from clickhouse_connect.driver.client import Client

from tailrace.main import cli

pytestmark = pytest.mark.usefixtures("client")


def tailrace(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_the_default_place_is_the_runs_folder() -> None:
    result = tailrace("report", "full")
    expected = Path(os.environ["TAILRACE_STATE"]) / "runs" / "full" / "report.html"
    assert result.exit_code == 0
    assert result.stdout == f"{expected}\n"
    assert expected.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_out_names_the_file(tmp_path: Path) -> None:
    result = tailrace("report", "full", "--out", str(tmp_path / "r.html"))
    assert result.exit_code == 0
    assert (tmp_path / "r.html").stat().st_size > 50_000


def test_an_unknown_run_is_one_line_with_the_nearest(tmp_path: Path) -> None:
    result = tailrace("report", "no-metric", "--out", str(tmp_path / "r.html"))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "no run 'no-metric'; nearest: no-metrics" in result.stderr
    assert not (tmp_path / "r.html").exists()


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    result = tailrace("report", "full", "--out", str(tmp_path / "absent" / "r.html"))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "No such file or directory; give a writable file with --out" in result.stderr


def test_missing_uplot_is_one_line(client: Client, tmp_path: Path) -> None:
    from tailrace.errors import BadInput
    from tailrace.page.assets import Assets

    with pytest.raises(BadInput, match="run `make setup`"):
        _ = Assets(tmp_path).style
