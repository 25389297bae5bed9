#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every relative link of a Markdown file must lead to a file of this repository. Exit 1 lists those that do not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    pages = [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]
    found = [line for page in pages for line in broken(page)]
    for line in found:
        print(line, file=sys.stderr)
    print(f"links: {len(pages)} Markdown files, {len(found)} broken links")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
