# SPDX-License-Identifier: Apache-2.0
"""Python constants: cli/tailrace/contracts.py."""

from __future__ import annotations

from collections.abc import Iterator
from pprint import pformat
from typing import Any

from facts import Facts

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""The facts that rooms share. Generated from contracts/*.yaml by make contracts; do not edit."""
'''


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """The one module."""
    parts = [HEAD]
    for comment, name, value in _constants(facts):
        parts.append(f"# {comment}\n{name} = {pformat(value, width=100, sort_dicts=False)}\n")
    yield "cli/tailrace/contracts.py", "\n".join(parts)


def _constants(facts: Facts) -> Iterator[tuple[str, str, Any]]:
    yield (
        "Stream → its columns, in order, with their ClickHouse types.",
        "STREAMS",
        {s["name"]: s["columns"] for s in facts.streams},
    )
    yield (
        "Stream → the ledger kind that its recorded rows must equal.",
        "ROW_KINDS",
        {k["stream"]: k["kind"] for k in facts.kinds if k.get("rows")},
    )
    yield (
        "Loss reason → its meaning.",
        "LOSS_REASONS",
        {r["name"]: r["meaning"].replace("*", "") for r in facts.loss_reasons},
    )
    yield (
        "Loss reasons whose rows may be stored nevertheless.",
        "MAYBE_STORED",
        tuple(r["name"] for r in facts.loss_reasons if r.get("maybe_stored")),
    )
    yield "The reason of a count that no checkpoint has.", "UNKNOWN_REASON", facts.unknown_reason
    yield "Kinds of run events.", "EVENT_KINDS", tuple(e["kind"] for e in facts.events)
    yield "Stage → its title.", "STAGES", {s["name"]: s["title"] for s in facts.stages}
    yield "Causes that explain can name.", "CAUSES", tuple(c["name"] for c in facts.causes)
    yield (
        "Causes that cannot be attributed to one broker.",
        "CAUSES_OF_NO_BROKER",
        tuple(c["name"] for c in facts.causes if not c["one_broker"]),
    )
    yield (
        "Signal → its title, where it has one.",
        "SIGNAL_TITLES",
        {s["name"]: s["title"] for s in facts.signals if "title" in s},
    )
    yield "Replaces a secret value.", "MASK", facts.mask
    yield "Found in the name of a secret, in any case of letters.", "HIDDEN_NAMES", facts.secret_pattern
    for code in facts.exit_codes:
        yield f"{code['meaning'].capitalize()}.", f"EXIT_{code['name'].upper()}", code["code"]
