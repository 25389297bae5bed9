# SPDX-License-Identifier: Apache-2.0
"""Python constants: cli/tailrace/contracts.py."""

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
    """(comment, name, value) of each constant."""
    rows = {kind["stream"]: kind["kind"] for kind in facts.kinds if kind.get("rows")}
    maybe_stored = tuple(reason["name"] for reason in facts.loss_reasons if reason.get("maybe_stored"))
    of_no_broker = tuple(cause["name"] for cause in facts.causes if not cause["one_broker"])
    titles = {signal["name"]: signal["title"] for signal in facts.signals if "title" in signal}
    yield "Stream → the ledger kind that its recorded rows must equal.", "ROW_KINDS", rows
    for reason in facts.loss_reasons:
        yield f"Loss reason: {_brief(reason['meaning'])}", f"LOSS_{reason['name'].upper()}", reason["name"]
    killed = "Seconds of rows that a killed load generator may lose at most."
    yield killed, "KILLED_LOSES_SECONDS", facts.killed_loses_seconds
    power = "Durability of run and stack → seconds of rows that a power loss may lose at most."
    yield power, "POWER_LOSES_SECONDS", facts.power_loses_seconds
    yield "Loss reasons whose rows may be stored nevertheless.", "MAYBE_STORED", maybe_stored
    yield "Stage → its title.", "STAGES", {stage["name"]: stage["title"] for stage in facts.stages}
    yield "Causes that explain can name.", "CAUSES", tuple(cause["name"] for cause in facts.causes)
    yield "Causes that cannot be attributed to one broker.", "CAUSES_OF_NO_BROKER", of_no_broker
    yield "Signals made of metrics.", "SIGNALS", tuple(signal["name"] for signal in facts.signals)
    yield "Signal → its title, where it has one.", "SIGNAL_TITLES", titles
    yield "Names of the metrics that a run keeps.", "KEPT_METRICS", tuple(facts.kept_metrics)
    yield "Names among those that it leaves out.", "LEFT_OUT_METRICS", facts.left_out_metrics
    yield "Replaces a secret value.", "MASK", facts.mask
    yield "Found in the name of a secret, in any case of letters.", "HIDDEN_NAMES", facts.secret_pattern
    for code in facts.exit_codes:
        yield f"Exit code: {code['meaning']}.", f"EXIT_{code['name'].upper()}", code["code"]


def _brief(text: str) -> str:
    """The first clause of a meaning."""
    return text.replace("*", "").partition(";")[0].partition(". ")[0].rstrip(".") + "."
