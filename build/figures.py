#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inserts benchmark figures into documents from the committed results, so that no document has a typed copy.

Usage: figures.py           write
       figures.py --check   exit 1 and name the documents that are not current

A document marks a figure as ``<!-- figure: NAME -->text<!-- end -->``. Its source is the last line
``RESULT key=value …`` of a file in docs/results that has the given pairs. Standard library only.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
MARKED = re.compile(r"(<!-- figure: (\w+) -->)[^<]*(<!-- end -->)")

Pairs = dict[str, str]


@dataclass(frozen=True)
class Figure:
    """``file`` and ``having`` choose the RESULT line; ``text`` makes the figure of it."""

    file: str
    having: Pairs
    text: Callable[[Pairs], str]


def _right(pairs: Pairs) -> int:
    return round(float(pairs["top1"]) * int(pairs["injected"]))


SCORE = {"split": "score"}
FIGURES = {
    "faults_right": Figure("faults.md", SCORE, lambda p: f"{_right(p)} of {p['injected']}"),
    "faults_injected": Figure("faults.md", SCORE, lambda p: p["injected"]),
    "faults_kinds": Figure("faults.md", SCORE, lambda p: p["kinds"]),
    "faults_top1": Figure("faults.md", SCORE, lambda p: p["top1"]),
    "faults_devices": Figure("faults.md", SCORE, lambda p: p["devices"].replace("/", " of ")),
    "faults_false_alarms": Figure("faults.md", SCORE, lambda p: f"{p['false_alarms']} in {p['quiet_runs']} quiet runs"),
    "faults_loud": Figure("faults.md", SCORE, lambda p: p["loud"]),
    "recording_ns": Figure("pipeline.md", {"alloc_b": "0.000"}, lambda p: p["acked_ns"]),
    "vs_stock": Figure("pipeline.md", {"lost_ours": "0"}, lambda p: p["ratio"]),
}


def result(figure: Figure) -> Pairs:
    """The RESULT line of a figure. Raises SystemExit where there is none."""
    text = (RESULTS / figure.file).read_text(encoding="utf-8")
    lines = re.findall(r"RESULT ((?:\w+=[^\s`]+[ ]?)+)", text)
    parsed = [dict(pair.split("=", 1) for pair in line.split()) for line in lines]
    found = [pairs for pairs in parsed if figure.having.items() <= pairs.items()]
    if not found:
        raise SystemExit(f"docs/results/{figure.file}: no RESULT line with {figure.having}")
    return found[0]


def filled(page: str, text: str) -> str:
    """The text with every marked figure current."""

    def insert(mark: re.Match[str]) -> str:
        if mark[2] not in FIGURES:
            raise SystemExit(f"{page}: no figure {mark[2]}; there are: {', '.join(FIGURES)}")
        figure = FIGURES[mark[2]]
        return f"{mark[1]}{figure.text(result(figure))}{mark[3]}"

    return MARKED.sub(insert, text)


def main(arguments: list[str]) -> int:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    pages = [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]
    stale = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        current = filled(str(page.relative_to(ROOT)), text)
        if current != text:
            stale.append(page)
            if "--check" not in arguments:
                page.write_text(current, encoding="utf-8")
    for page in stale:
        print(f"{page.relative_to(ROOT)}: {'not current; run make figures' if '--check' in arguments else 'written'}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
