#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every relative link of a Markdown file must lead to a file of this repository. Exit 1 lists those that do not."""

import re
import sys
from pathlib import Path

from repository import ROOT, files, report

LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
ELSEWHERE = re.compile(r"^[a-z]+:")


def broken(page: Path) -> list[str]:
    """One line per link of the page that leads nowhere."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [
        f"{page.relative_to(ROOT)}:{number}: no file {target}"
        for number, line in enumerate(lines, 1)
        for target in LINK.findall(line)
        if not ELSEWHERE.match(target) and not (page.parent / target).exists()
    ]


def main() -> int:
    pages = [ROOT / name for name in files("*.md")]
    found = [line for page in pages for line in broken(page)]
    return report("links", f"{len(pages)} Markdown files", found, "broken links")


if __name__ == "__main__":
    sys.exit(main())
