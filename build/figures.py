#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inserts benchmark figures into documents from the committed results, so that no document has a typed copy.

Usage: figures.py           write
       figures.py --check   exit 1 and name the documents that are not current

A document marks a figure as ``<!-- figure: NAME -->text<!-- end -->``. Its source is the first line
``RESULT key=value …`` of a file in docs/results that has the given pairs. Standard library only.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MARKED = re.compile(r"(<!-- figure: (\w+) -->)[^<]*(<!-- end -->)")

Pairs = dict[str, str]


@dataclass(frozen=True)
class Result:
    """``pairs`` of a RESULT line, and the ``section`` of the file that follows it."""

    pairs: Pairs
    section: str


@dataclass(frozen=True)
class Figure:
    """``file`` and ``having`` choose the RESULT line; ``text`` makes the figure of it."""

    file: str
    having: Pairs
    text: Callable[[Result], str]


def _right(result: Result) -> int:
    return round(float(result.pairs["top1"]) * int(result.pairs["injected"]))


def _named(result: Result) -> int:
    """Right verdicts without those whose right verdict is *unknown*."""
    verdicts = " ".join(re.findall(r"^\|.* or unknown \|.*\|(.*)\|$", result.section, re.MULTILINE))
    return _right(result) - sum(int(count or 1) for count in re.findall(r"unknown(?: × (\d+))?", verdicts))


def _score(text: Callable[[Result], str]) -> Figure:
    return Figure("faults.md", {"split": "score"}, text)


FIGURES = {
    "faults_right": _score(lambda r: f"{_right(r)} of {r.pairs['injected']}"),
    "faults_injected": _score(lambda r: r.pairs["injected"]),
    "faults_kinds": _score(lambda r: r.pairs["kinds"]),
    "faults_top1": _score(lambda r: r.pairs["top1"]),
    "faults_named": _score(lambda r: str(_named(r))),
    "faults_named_share": _score(lambda r: f"{_named(r) / int(r.pairs['injected']):.3f}"),
    "faults_devices": _score(lambda r: r.pairs["devices"].replace("/", " of ")),
    "faults_false_alarms": _score(lambda r: f"{r.pairs['false_alarms']} in {r.pairs['quiet_runs']} quiet runs"),
    "faults_loud": _score(lambda r: r.pairs["loud"]),
    "vs_stock": Figure("pipeline.md", {"lost_ours": "0"}, lambda r: r.pairs["ratio"]),
}


def read(figure: Figure, root: Path) -> Result:
    """The RESULT line of a figure. Raises SystemExit where there is none."""
    text = (root / "docs" / "results" / figure.file).read_text(encoding="utf-8")
    for line in re.finditer(r"RESULT ((?:\w+=[^\s`]+[ ]?)+)", text):
        pairs = dict(pair.split("=", 1) for pair in line[1].split())
        if figure.having.items() <= pairs.items():
            return Result(pairs, text[line.end() :].split("\n## ", 1)[0])
    raise SystemExit(f"docs/results/{figure.file}: no RESULT line with {figure.having}")


def filled(page: str, text: str, root: Path) -> str:
    """The text with every marked figure current."""

    def insert(mark: re.Match[str]) -> str:
        if mark[2] not in FIGURES:
            raise SystemExit(f"{page}: no figure {mark[2]}; there are: {', '.join(FIGURES)}")
        figure = FIGURES[mark[2]]
        return f"{mark[1]}{figure.text(read(figure, root))}{mark[3]}"

    return MARKED.sub(insert, text)


def main(arguments: list[str], root: Path = ROOT) -> int:
    check = "--check" in arguments
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=root, check=True, capture_output=True, text=True).stdout
    pages = [root / name for name in listed.splitlines() if (root / name).is_file()]
    failed = False
    used: set[str] = set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        used.update(mark[2] for mark in MARKED.finditer(text))
        current = filled(str(page.relative_to(root)), text, root)
        if current == text:
            continue
        failed = check
        print(f"{page.relative_to(root)}: {'not current; run make figures' if check else 'written'}")
        if not check:
            page.write_text(current, encoding="utf-8")
    for name in sorted(FIGURES.keys() - used):
        failed = True
        print(f"build/figures.py: no document uses the figure {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
