# SPDX-License-Identifier: Apache-2.0
"""The figures check fails when a document's figure is not the committed result, and when no document uses a figure."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tailrace.api import REPO_ROOT


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("figures", REPO_ROOT / "build" / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "figures", module)
        spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(figures: ModuleType, tmp_path: Path) -> Path:
    """A repository with the real results and a current document that has every figure."""
    shutil.copytree(
        REPO_ROOT / "docs" / "results", tmp_path / "docs" / "results", ignore=shutil.ignore_patterns("runs")
    )
    marks = "".join(f"{name}: <!-- figure: {name} -->?<!-- end -->\n" for name in figures.FIGURES)
    (tmp_path / "PAGE.md").write_text(marks)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert figures.main([], tmp_path) == 0
    assert figures.main(["--check"], tmp_path) == 0
    return tmp_path


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_typed_figure_fails_the_check_and_stays(
    figures: ModuleType, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = root / "PAGE.md"
    _replace(page, "<!-- figure: vs_stock -->", "<!-- figure: vs_stock -->1")
    typed = page.read_text()
    assert figures.main(["--check"], root) == 1
    assert capsys.readouterr().out == "PAGE.md: not current; run make figures\n"
    assert page.read_text() == typed


def test_a_new_result_fails_the_check_until_it_is_inserted(figures: ModuleType, root: Path) -> None:
    line = "RESULT injected=2 named=2 top1=0.500 quiet_runs=5 false_alarms=3 split=score kinds=1 devices=0/1 loud=7\n"
    table = "| freeze | weak | slow_flush or unknown | 1 of 2 | slow_drive, unknown |\n"
    (root / "docs" / "results" / "faults.md").write_text(f"{line}{table}")
    assert figures.main(["--check"], root) == 1
    assert figures.main([], root) == 0
    text = (root / "PAGE.md").read_text()
    assert "faults_right: <!-- figure: faults_right -->1 of 2<!-- end -->" in text
    assert "faults_named: <!-- figure: faults_named -->0<!-- end -->" in text
    assert "faults_false_alarms: <!-- figure: faults_false_alarms -->3 in 5 quiet runs<!-- end -->" in text


def test_a_figure_that_no_document_uses_fails_the_check(
    figures: ModuleType, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _replace(root / "PAGE.md", "figure: vs_stock", "figure: faults_loud")
    figures.main([], root)
    capsys.readouterr()
    assert figures.main(["--check"], root) == 1
    assert capsys.readouterr().out == "build/figures.py: no document uses the figure vs_stock\n"


def test_an_unknown_figure_is_named(figures: ModuleType, root: Path) -> None:
    _replace(root / "PAGE.md", "figure: vs_stock", "figure: vs_stck")
    with pytest.raises(SystemExit, match=r"PAGE\.md: no figure vs_stck"):
        figures.main(["--check"], root)
