# SPDX-License-Identifier: Apache-2.0
"""Finds query files and fills their parameters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tailrace.errors import BadInput
from tailrace.nearest import nearest
from tailrace.queries.allowed import fault
from tailrace.queries.header import Header, parse
from tailrace.stack.api import StackPaths


@dataclass(frozen=True)
class Query:
    """A named query; ``text`` is the whole file, which the engine executes."""

    header: Header
    text: str

    def fill(self, given: Mapping[str, str]) -> dict[str, str]:
        """The values of all parameters, with defaults.

        Raises BadInput for a parameter that is unknown or missing, or whose value its type or the header excludes.
        """
        params = {param.name: param for param in self.header.params}
        for name in given:
            if name not in params:
                raise BadInput(
                    f"query {self.header.name}: no parameter '{name}'; it takes " + (", ".join(params) or "none")
                )
        missing = [p for p in params.values() if p.name not in given and p.default is None]
        if missing:
            raise BadInput(
                f"query {self.header.name}: parameter {missing[0].name} ({missing[0].help}) "
                f"is missing; give --param {missing[0].name}=…"
            )
        values = {name: given.get(name, param.default or "") for name, param in params.items()}
        self._check(values)
        return values

    def _check(self, values: Mapping[str, str]) -> None:
        types = {param.name: param.type for param in self.header.params}
        for param in self.header.params:
            if wanted := fault(param.name, values, types, param.allowed):
                raise BadInput(
                    f"query {self.header.name}: {param.name}={values[param.name]}: it must be {wanted} ({param.help})"
                )
        for only in self.header.only:
            if values[only.name] in only.values and values[only.other] not in only.needed:
                raise BadInput(
                    f"query {self.header.name}: {only.name}={values[only.name]} needs "
                    f"{only.other}={' or '.join(only.needed)}, not {values[only.other]}"
                )

    def statement(self, values: Mapping[str, str]) -> str:
        """The query as one statement, with values in place of parameters.

        It has no semicolon: the HTTP interface refuses one, and clients append their format.
        """
        params = {f"{{{param.name}:{param.type}}}": param for param in self.header.params}
        if not params:
            return f"{self.text.rstrip()}\n"
        # One pass, so that a value that looks like a parameter is not replaced.
        places = re.compile("|".join(map(re.escape, params)))

        def literal(place: re.Match[str]) -> str:
            param = params[place[0]]
            value = quote(values[param.name])
            return value if param.type == "String" else f"CAST({value} AS {param.type})"

        return f"{places.sub(literal, self.text.rstrip())}\n"

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
