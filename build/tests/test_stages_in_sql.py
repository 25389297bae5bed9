# SPDX-License-Identifier: Apache-2.0
"""The stages that the migrations list are those of contracts/stages.yaml, and the work done that of ledger.yaml."""

import re
from pathlib import Path

from tailrace.contracts import ROW_KINDS, STAGES

MIGRATIONS = Path(__file__).resolve().parents[2] / "schemas" / "migrations"
# What the rollup counts: messages, so no transactions.
WORK = [kind for stream, kind in ROW_KINDS.items() if stream != "transactions"]
LISTED = re.compile(r"stage IN \(([^)]*)\)")
MADE = re.compile(r"\[([^]]*)\]\[bitAnd\(bitShiftRight\(key, 16\), 7\)\] AS stage")


def names(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"'(\w+)'", text))


def lists(pattern: re.Pattern[str], migration: str) -> list[tuple[str, ...]]:
    return [names(found) for found in pattern.findall((MIGRATIONS / migration).read_text(encoding="utf-8"))]


def test_the_rollup_makes_every_stage() -> None:
    made = [stage for stages in lists(MADE, "00106_rollup.sql") for stage in stages]
    assert sorted([*made, "failed"]) == sorted([*STAGES, *WORK])


def test_the_views_read_every_stage() -> None:
    latencies, work = lists(LISTED, "00106_rollup.sql")
    assert latencies == tuple(STAGES)
    assert set(work) == set(WORK)
    assert lists(LISTED, "00107_percentiles.sql") == [tuple(STAGES)]
