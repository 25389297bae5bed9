# SPDX-License-Identifier: Apache-2.0
"""Finds query files and fills their parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tailrace.errors import BadInput
from tailrace.nearest import nearest
from tailrace.queries.header import Header, Param, parse
from tailrace.stack.api import StackPaths


@dataclass(frozen=True)
class Query:
    """One named question; ``text`` is the whole file and is what the engine gets."""

    header: Header
    text: str

    def fill(self, given: Mapping[str, str]) -> dict[str, str]:
        """Values of all parameters, the defaults included.

        Raises BadInput for a parameter that the query does not have, or that is missing.
        """
        params = {param.name: param for param in self.header.params}
        for name in given:
            if name not in params:
                raise BadInput(
                    f"query {self.header.name}: no parameter '{name}'; it takes "
                    + (", ".join(params) or "none")
                )
        missing = [p for p in params.values() if p.name not in given and p.default is None]
        if missing:
            raise BadInput(
                f"query {self.header.name}: parameter {missing[0].name} ({missing[0].help}) "
                f"is missing; give --param {missing[0].name}=…"
            )
        return {name: given.get(name, param.default or "") for name, param in params.items()}

    def script(self, values: Mapping[str, str]) -> str:
        """The query with a ``SET param_…`` line per parameter, for any ClickHouse client."""
        sets = "".join(f"SET param_{name} = {quote(value)};\n" for name, value in values.items())
        return f"{sets}{self.text.rstrip()};\n"

    def takes_run(self) -> bool:
        return any(param.name == "run_id" for param in self.header.params)


def quote(text: str) -> str:
    """A string literal of ClickHouse's SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def folder() -> Path:
    """Where the query files are."""
    return StackPaths.load().root / "queries"


def names() -> list[str]:
    """The names of all queries."""
    return sorted(path.stem for path in folder().glob("*.sql"))


def load(name: str) -> Query:
    """The query of that name. Raises BadInput naming the nearest ones."""
    known = names()
    if name not in known:
        close = nearest(name, known) or known
        raise BadInput(f"no query '{name}'; nearest: {', '.join(close)} (tailrace query --list)")
    text = (folder() / f"{name}.sql").read_text(encoding="utf-8")
    return Query(parse(text), text)


__all__ = ["Param", "Query", "folder", "load", "names", "quote"]
