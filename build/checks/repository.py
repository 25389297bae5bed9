# SPDX-License-Identifier: Apache-2.0
"""The repository's files, and how a check reports what it finds. Standard library only."""

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(*patterns: str) -> list[str]:
    """Names of the files that git tracks or would track, by default all."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def report(check: str, seen: str, found: Collection[str], what: str) -> int:
    """Print each finding, then one line that counts them; returns the exit code."""
    for line in found:
        print(line, file=sys.stderr)
    print(f"{check}: {seen}, {len(found)} {what}")
    return 1 if found else 0
