# SPDX-License-Identifier: Apache-2.0
"""Writes what is generated from contracts/*.yaml.

Usage: python build/contracts           write
       python build/contracts --check   exit 1 and name the files that are not current
"""

import subprocess
import sys
from collections.abc import Iterator

import java
import markdown
import python
import sql
from facts import ROOT, Facts, load

RUFF = ROOT / ".tailrace" / "venv" / "bin" / "ruff"


def generated(facts: Facts) -> Iterator[tuple[str, str]]:
    for emitter in (java, python, sql, markdown):
        for name, text in emitter.files(facts):
            yield name, _formatted(text) if name.endswith(".py") else text


def _formatted(text: str) -> str:
    command = [str(RUFF), "format", "-q", "--config", str(ROOT / "build" / "ruff.toml"), "-"]
    formatted: str = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return formatted


def main(arguments: list[str]) -> int:
    stale = []
    for name, text in generated(load()):
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if "--check" in arguments:
        for name in stale:
            print(f"{name}: not current; run make contracts", file=sys.stderr)
        return 1 if stale else 0
    print(f"contracts: {len(stale)} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
