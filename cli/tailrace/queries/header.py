# SPDX-License-Identifier: Apache-2.0
"""The header of a query file: comment lines that state its purpose, parameters and columns.

A line that is too long goes on in the next one, behind ``--`` and five blanks.
"""

import re
from dataclasses import dataclass

_PARAM = re.compile(
    r"(?P<name>\w+) (?P<type>[A-Z]\w*(?:\(.*?\))?)(?: = (?P<default>\S+))?"
    r"(?: in (?P<allowed>\S+))?: (?P<help>.+)"
)
_CONTINUED = "--     "
_ONLY = re.compile(r"(?P<name>\w+)=(?P<values>\S+) with (?P<other>\w+)=(?P<needed>\S+)")


class HeaderError(ValueError):
    """A query file's header is invalid; the message names the line."""


@dataclass(frozen=True)
class Param:
    """A parameter, written ``{name:type}`` in the text; ``default`` is None if it is required.

    ``allowed``: the clause that ``tailrace.queries.allowed`` checks, or empty.
    """

    name: str
    type: str
    default: str | None
    help: str
    allowed: str = ""


@dataclass(frozen=True)
class Only:
    """``values`` of parameter ``name`` are allowed only if ``other`` is one of ``needed``."""

    name: str
    values: tuple[str, ...]
    other: str
    needed: tuple[str, ...]


@dataclass(frozen=True)
class Header:
    """The fields of a header; ``returns`` are pairs of column name and type."""

    name: str
    purpose: str
    params: tuple[Param, ...]
    returns: tuple[tuple[str, str], ...]
    only: tuple[Only, ...] = ()


def parse(sql: str) -> Header:
    """Read the comment lines above the first line of SQL. Raises HeaderError."""
    fields: dict[str, str] = {}
    params: list[Param] = []
    only: list[Only] = []
    for line in _header_lines(sql):
        word, _, rest = line.removeprefix("--").strip().partition(" ")
        if word == "param":
            match = _PARAM.fullmatch(rest)
            if match is None:
                form = "-- param name Type [= default] [in values]: help"
                raise HeaderError(f"'{line}' is not '{form}'")
            name, type_name, default, allowed, text = match.groups()
            params.append(Param(name, type_name, default, text, allowed or ""))
        elif word == "only":
            match = _ONLY.fullmatch(rest)
            if match is None:
                raise HeaderError(f"'{line}' is not '-- only name=values with other=values'")
            name, values, other, needed = match.groups()
            only.append(Only(name, tuple(values.split("|")), other, tuple(needed.split("|"))))
        elif word in ("name:", "purpose:", "returns"):
            fields[word.rstrip(":")] = rest.strip()
    for field in ("name", "purpose", "returns"):
        if not fields.get(field):
            raise HeaderError(f"no '-- {field}' line above the SQL")
    columns = _columns(fields["returns"])
    return Header(fields["name"], fields["purpose"], tuple(params), columns, tuple(only))


def _header_lines(sql: str) -> list[str]:
    """The comment lines above the SQL, each with the lines that continue it."""
    lines: list[str] = []
    for line in sql.splitlines():
        if not line.startswith("--"):
            break
        if lines and line.startswith(_CONTINUED):
            lines[-1] += f" {line.removeprefix(_CONTINUED).strip()}"
        else:
            lines.append(line)
    return lines


def _columns(text: str) -> tuple[tuple[str, str], ...]:
    """Split ``a Type, b Type(x, y)`` at the commas that are outside parentheses."""
    columns: list[str] = []
    depth, start = 0, 0
    for position, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            columns.append(text[start:position])
            start = position + 1
    columns.append(text[start:])
    pairs = []
    for column in columns:
        name, _, type_name = column.strip().partition(" ")
        if not name or not type_name:
            raise HeaderError(f"'{column.strip()}' in '-- returns' is not 'column Type'")
        pairs.append((name, type_name))
    return tuple(pairs)
