# SPDX-License-Identifier: Apache-2.0
"""The prose linter finds dialect where it is, in every kind of file that it reads, and nothing in plain English."""

import subprocess
import sys
from pathlib import Path

import pytest

from tailrace.api import REPO_ROOT

LINTER = REPO_ROOT / "build" / "checks" / "prose.py"
VALE = REPO_ROOT / ".tailrace" / "bin" / "vale"
RIDDLE = "Who waits for a JVM that collects sends again too."
PLAIN = "GC pauses also cause retransmits."
pytestmark = pytest.mark.skipif(not VALE.exists(), reason="make check builds Vale")
FILES = {
    "page.md": "# A page\n\n{0}\n",
    "Comment.java": "/** {0} */\nclass Comment {{}}\n",
    "comment.go": "package comment\n\n// {0}\nvar x = 1\n",
    "docstring.py": '"""{0}"""\n',
    "comment.py": "x = 1  # {0}\n",
    "header.sql": "-- {0}\nSELECT 1\n",
    "script.sh": "#!/bin/sh\n# {0}\ntrue\n",
    "settings.yaml": "# {0}\nkey: value\n",
    "value.yaml": "- name: x\n  why: {0}\n",
    "folded.yml": "about: >-\n  {0}\nkey: value\n",
}


def lint(file: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, LINTER, str(file)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", FILES)
def test_a_riddle_is_found_and_plain_english_is_not(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(FILES[name].format(RIDDLE), encoding="utf-8")
    found = lint(file)
    assert found.returncode == 1
    assert f"{file}:" in found.stderr
    assert "Riddles" in found.stderr
    file.write_text(FILES[name].format(PLAIN), encoding="utf-8")
    assert lint(file).returncode == 0


def test_the_glossary_s_forbidden_words_are_found_on_their_line(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("# A page\n\nAll is well.\nThe collector told the spool.\n", encoding="utf-8")
    found = lint(file)
    assert f"{file}:4:15:Tailrace.Dialect" in found.stderr


@pytest.mark.parametrize(
    "sentence",
    [
        "The folder is made anew.",
        "Killed for want of memory.",
        "At the end stands a line.",
        "The file says who is what.",
        "Disk that logs, and as much again that metrics take.",
        "The offset as chrony reckons it.",
        "Its programs do what they shall.",
        "The message was due in that second.",
    ],
)
def test_each_dialect_word_is_found(tmp_path: Path, sentence: str) -> None:
    file = tmp_path / "page.md"
    file.write_text(f"# A page\n\n{sentence}\n", encoding="utf-8")
    assert "Tailrace.Dialect" in lint(file).stderr


def test_a_makefile_s_help_and_a_yaml_value_s_further_lines_are_prose(tmp_path: Path) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text("doctor: ## name what this machine lacks\n\t@true\n", encoding="utf-8")
    assert f"{makefile}:1:" in lint(makefile).stderr
    values = tmp_path / "values.yaml"
    values.write_text("- why: >-\n    The drive is fast.\n    Nobody waits.\n  file: nobody.txt\n", encoding="utf-8")
    found = lint(values).stderr
    assert f"{values}:3:" in found
    assert f"{values}:4:" not in found


def test_text_in_code_is_not_prose(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text('told = "nobody said so"\n', encoding="utf-8")
    assert lint(file).returncode == 0
