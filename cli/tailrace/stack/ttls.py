# SPDX-License-Identifier: Apache-2.0
"""TTLs as a setting of the deployment: every start applies a file of ``TABLE=30d`` lines.

Standard library only, for `make doctor`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tailrace.errors import BadInput
from tailrace.nearest import nearest
from tailrace.stack.paths import RESOURCES

MOST_DAYS = 36_500
_TABLE = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+)\n\((.*?)\n\)", re.DOTALL)


def ttls_file(env: Mapping[str, str] | None = None) -> Path:
    """The file that ``TAILRACE_TTLS`` names; by default stack/ttls.env."""
    env = os.environ if env is None else env
    return Path(env.get("TAILRACE_TTLS") or RESOURCES / "stack" / "ttls.env").absolute()


def parse(text: str, known: Sequence[str]) -> tuple[str, int | None]:
    """A table and its days (None: no TTL) from ``TABLE=30d`` or ``TABLE=none``. Raises BadInput."""
    name, _, value = text.partition("=")
    if name not in known:
        close = ", ".join(nearest(name, known) or known)
        raise BadInput(f"{text}: no TTL can be set for a table '{name}'; nearest: {close}")
    if value == "none":
        return name, None
    match = re.fullmatch(r"([1-9]\d{0,4})d", value)
    if match is None or int(match[1]) > MOST_DAYS:
        raise BadInput(f"{text}: '{value}' is not a TTL; write {name}=30d or {name}=none")
    return name, int(match[1])


def read(path: Path, known: Sequence[str]) -> dict[str, int | None]:
    """Days by table, as the file sets them. Raises BadInput with file and line."""
    found: dict[str, int | None] = {}
    for where, text in _lines(path):
        try:
            name, days = parse(text, known)
        except BadInput as err:
            raise BadInput(f"{where}: {err}") from None
        if name in found:
            raise BadInput(f"{where}: {name} is set twice; keep one line")
        found[name] = days
    return found


def ttl_problems(path: Path) -> list[str]:
    """One line when the file cannot be applied."""
    try:
        read(path, _tables())
    except BadInput as err:
        return [str(err)]
    return []


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as err:
        reason = err.strerror if isinstance(err, OSError) else "is not text"
        raise BadInput(f"{path}: {reason}; set TAILRACE_TTLS to a file of TTLs") from err
    for number, line in enumerate(lines, start=1):
        text = "".join(line.partition("#")[0].split())
        if text:
            yield f"{path}:{number}", text


def _tables() -> list[str]:
    """Tables whose rows have a time. From the migrations, because no warehouse runs yet."""
    found = []
    for file in sorted((RESOURCES / "schemas" / "migrations").glob("*.sql")):
        for name, columns in _TABLE.findall(file.read_text(encoding="utf-8")):
            if re.search(r"^ +((intended|end)_)?time ", columns, re.MULTILINE):
                found.append(name)
    return found
