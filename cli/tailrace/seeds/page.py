# SPDX-License-Identifier: Apache-2.0
"""Verdicts as a Markdown page, with the machine and the versions they were made on."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.queries.render import cell
from tailrace.seeds import chart
from tailrace.seeds.conduct import Answer
from tailrace.seeds.show import HEAD


def write(file: Path, answers: Sequence[Answer], client: Client) -> None:
    """The page, and for an experiment with a table its chart beside it as SVG."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Published experiments, rerun",
        "",
        *_machine(answers, client),
        "",
        *_verdicts(answers),
    ]
    for answer in answers:
        lines += ["", f"## {answer.experiment.name}", "", f"Claim: {answer.experiment.claim}."]
        lines += [f"Published: <{answer.experiment.source}>.", ""]
        rest = [name for name in answer.rows[0] if name not in HEAD] if answer.rows else []
        lines += _table(["system", "verdict", *rest], answer.rows)
        if answer.table:
            picture = file.with_name(f"{file.stem}-{answer.experiment.name}.svg")
            picture.write_text(chart.grid(answer.table), encoding="utf-8")
            lines += ["", f"![seconds by event size]({picture.name})", ""]
            lines += _table([n for n in answer.table[0] if n != "run_id"], answer.table)
        lines += ["", "Runs: " + ", ".join(f"`{run}`" for run in answer.runs) + "."]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _machine(answers: Sequence[Answer], client: Client) -> Iterator[str]:
    runs = [run for answer in answers for run in answer.runs]
    if not runs:
        return
    text = client.query(
        "SELECT manifest FROM v_runs WHERE run_id = {r:String}", parameters={"r": runs[0]}
    ).result_rows[0][0]
    manifest = json.loads(text)
    host, versions = manifest["host"], manifest["versions"]
    memory = int(host["memory_bytes"]) / 1024**3
    yield (
        f"{datetime.now(UTC):%Y-%m-%d}, {host['cpus']} × {host['cpu_model']}, {memory:.0f} GiB, "
        f"{host['os']}, kernel {host['kernel']}; "
        + ", ".join(f"{name} {value}" for name, value in versions.items())
        + "."
    )


def _verdicts(answers: Sequence[Answer]) -> Iterator[str]:
    rows = [{"experiment": a.experiment.name, **row} for a in answers for row in a.rows]
    yield from _table(["experiment", *HEAD], rows)


def _table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield "| " + " | ".join(cell(row[name]).replace("|", "\\|") for name in columns) + " |"
