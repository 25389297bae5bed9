# SPDX-License-Identifier: Apache-2.0
"""Tables in documents, between ``<!-- contracts: NAME -->`` and ``<!-- end -->``."""

import re
import subprocess
from collections.abc import Callable, Iterator

from facts import ROOT, Facts

Rows = Iterator[list[str]]
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
    if name == "killed_loses":
        return f"A killed load generator loses at most the rows of its last **{facts.killed_loses_seconds} seconds**.\n"
    if name == "power_loses":
        return _power_loses(facts)
    if name not in TABLES:
        raise SystemExit(f"{page}: no table {name}; there are: {', '.join(TABLES)}")
    head, rows = TABLES[name]
    lines = [head, ["---"] * len(head), *rows(facts)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _power_loses(facts: Facts) -> str:
    much, little, killed = *facts.power_loses_seconds.values(), facts.killed_loses_seconds
    rows = [
        ["`none`", "`none`", f"last {much} s; no promise if the drive lags"],
        ["`fsync`", "`none`", f"last {much} s: what the warehouse had answered is no longer in the spool"],
        ["`none`", "`fsync`", f"last {little} s, and those of the last {much} s that were not stored yet"],
        ["`fsync`", "`fsync`", f"last **{little} s**"],
    ]
    head = [
        *("run", "stack", "load generator killed", "collector killed", "warehouse killed"),
        "power loss of load generator, warehouse or both",
    ]
    lines = [head, ["---"] * len(head), *([run, stack, f"last {killed} s", "0", "0", cut] for run, stack, cut in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _ledger(facts: Facts) -> Rows:
    for kind in facts.kinds:
        stream = kind.get("counted_in", kind["stream"])
        yield ["every stream but `ledger`" if stream == "*" else f"`{stream}`", f"`{kind['kind']}`", kind["meaning"]]


def _streams(facts: Facts) -> Rows:
    for stream in facts.streams:
        yield [f"`{stream['name']}`", ", ".join(f"`{column} {kind}`" for column, kind in stream["columns"].items())]


# Name → head and rows.
TABLES: dict[str, tuple[list[str], Callable[[Facts], Rows]]] = {
    "streams": (["stream", "columns"], _streams),
    "ledger": (["stream", "kind", "events"], _ledger),
    "losses": (["reason", "what happened"], lambda f: ([f"`{r['name']}`", r["meaning"]] for r in f.loss_reasons)),
    "events": (
        ["kind", "name", "detail", "written by"],
        lambda f: ([f"`{e['kind']}`", e["names"], e["detail"], e["writer"]] for e in f.events),
    ),
    "stages": (
        ["term", "from", "to", "name in tables"],
        lambda f: ([s["title"].lower(), s["from"], s["to"], f"`{s['name']}`"] for s in f.stages),
    ),
    "causes": (["cause", "evidence"], lambda f: ([f"`{c['name']}`", c["evidence"]] for c in f.causes)),
    "exit_codes": (["exit code", "meaning"], lambda f: ([str(c["code"]), c["meaning"]] for c in f.exit_codes)),
}
