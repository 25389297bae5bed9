# SPDX-License-Identifier: Apache-2.0
"""The collector's INSERT statements, and the view v_signals."""

from collections.abc import Iterator

from facts import ROOT, Entry, Facts

INSERTS = "collector/exporter/blockexporter/insert"
SIGNALS = "schemas/migrations"
WIDTH = 120
BEGIN, END = "    -- contracts/signals.yaml", "    -- end of contracts/signals.yaml"


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """(path, text) of every statement."""
    for stream in facts.streams:
        columns = ", ".join(stream["columns"])
        yield (
            f"{INSERTS}/{stream['name']}.sql",
            f"-- SPDX-License-Identifier: Apache-2.0\nINSERT INTO {stream['name']} ({columns})\nFORMAT Native\n",
        )
    # Applied migrations stay as they are: only the newest file with the view is filled.
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / SIGNALS).glob("*.sql"))}
    *_, newest = (path for path, text in texts.items() if BEGIN in text)
    head, _, rest = texts[newest].partition(f"{BEGIN}\n")
    _, _, tail = rest.partition(END)
    rows = ",\n".join(_row(signal, source) for signal in facts.signals for source in signal["sources"])
    yield str(newest.relative_to(ROOT)), f"{head}{BEGIN}\n{rows}\n{END}{tail}"


def _row(signal: Entry, source: Entry) -> str:
    values = (signal["name"], signal["unit"], source["part"], source["metric"], source.get("needs", ""))
    *texts, needs = (f"'{value}'" for value in values)
    row = f"    ({', '.join(texts)}, {needs}, {source.get('factor', 1)})"
    return row if len(row) < WIDTH else row.replace(f", {needs}", f",\n        {needs}")
