# SPDX-License-Identifier: Apache-2.0
"""Tables in documents, between ``<!-- contracts: NAME -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator

from facts import ROOT, Facts

MARKED = re.compile(r"(<!-- contracts: (\w+) -->\n).*?(<!-- end -->)", re.S)


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """(path, text) of every document with a marked table. Raises SystemExit for an unknown table."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in listed.splitlines():
        path = ROOT / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if MARKED.search(text):
            yield name, _filled(name, text, facts)


def _filled(page: str, text: str, facts: Facts) -> str:
    return MARKED.sub(lambda found: f"{found[1]}{_table(page, found[2], facts)}{found[3]}", text)


def _table(page: str, name: str, facts: Facts) -> str:
    if name not in TABLES:
        raise SystemExit(f"{page}: no table {name}; there are: {', '.join(TABLES)}")
    head, *rows = TABLES[name](facts)
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _streams(facts: Facts) -> Iterator[list[str]]:
    yield ["stream", "columns"]
    for stream in facts.streams:
        yield [f"`{stream['name']}`", ", ".join(f"`{c} {t}`" for c, t in stream["columns"].items())]


def _ledger(facts: Facts) -> Iterator[list[str]]:
    yield ["stream", "kind", "events"]
    for kind in facts.kinds:
        stream = kind.get("counted_in", kind["stream"])
        yield ["every stream but `ledger`" if stream == "*" else f"`{stream}`", f"`{kind['kind']}`", kind["meaning"]]


def _losses(facts: Facts) -> Iterator[list[str]]:
    yield ["reason", "what happened"]
    for reason in facts.loss_reasons:
        yield [f"`{reason['name']}`", reason["meaning"]]


def _events(facts: Facts) -> Iterator[list[str]]:
    yield ["kind", "name", "detail", "written by"]
    for event in facts.events:
        yield [f"`{event['kind']}`", event["names"], event["detail"], event["writer"]]


def _stages(facts: Facts) -> Iterator[list[str]]:
    yield ["term", "from", "to", "name in tables"]
    for stage in facts.stages:
        yield [stage["title"].lower(), stage["from"], stage["to"], f"`{stage['name']}`"]


def _causes(facts: Facts) -> Iterator[list[str]]:
    yield ["cause", "evidence"]
    for cause in facts.causes:
        yield [f"`{cause['name']}`", cause["evidence"]]


def _exit_codes(facts: Facts) -> Iterator[list[str]]:
    yield ["exit code", "meaning"]
    for code in facts.exit_codes:
        yield [str(code["code"]), code["meaning"]]


TABLES: dict[str, Callable[[Facts], Iterator[list[str]]]] = {
    "streams": _streams,
    "ledger": _ledger,
    "losses": _losses,
    "events": _events,
    "stages": _stages,
    "causes": _causes,
    "exit_codes": _exit_codes,
}
