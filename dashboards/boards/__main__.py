# SPDX-License-Identifier: Apache-2.0
"""``python -m boards``: write the dashboards and alert rules; ``--check``: name those that differ."""

import sys
from pathlib import Path

from boards.files import made

ROOM = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    """Exit code 1 when ``--check`` finds a file that is not what the code makes."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m boards [--check]", file=sys.stderr)
        return 2
    wanted = made()
    there = {path for folder in ("json", "provisioning/alerting") for path in (ROOM / folder).rglob("*.*")}
    stale = sorted(there - {ROOM / name for name in wanted})
    differ = []
    for name, text in wanted.items():
        file = ROOM / name
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        differ.append(name)
        if not arguments:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    if not arguments:
        for file in stale:
            file.unlink()
        print(f"dashboards: {len(wanted)} files, {len(differ)} written, {len(stale)} removed")
        return 0
    for name in [*differ, *(str(file.relative_to(ROOM)) for file in stale)]:
        print(f"dashboards/{name} is not what dashboards/boards makes; run make dashboards", file=sys.stderr)
    return 1 if differ or stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
