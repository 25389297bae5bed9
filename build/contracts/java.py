# SPDX-License-Identifier: Apache-2.0
"""Java constants: package io.tailrace.loadgen.contract."""

from collections.abc import Iterator
from pathlib import Path
from string import Template

from facts import Facts

FOLDER = "loadgen/src/main/java/io/tailrace/loadgen/contract"
HEAD = """// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/{source} by make contracts. Do not edit.
package io.tailrace.loadgen.contract;
"""


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """(path, text) of every class."""
    yield _class("Streams", "streams.yaml", "Streams of blocks: names and columns.", _streams(facts))
    yield _class("LedgerKinds", "ledger.yaml", "What a worker counts, separately from its rows.", _ledger_kinds(facts))
    yield _class("LossReasons", "ledger.yaml", "Why a recorded row was not stored.", _loss_reasons(facts))
    yield _class("EventKinds", "events.yaml", "Kinds of run events.", _event_kinds(facts))
    yield _class("SecretNames", "secrets.yaml", "Names whose values are never shown.", _secrets(facts))
    yield _class("ExitCode", "exit_codes.yaml", "Exit codes of the program.", _exit_codes(facts))
    yield f"{FOLDER}/Stage.java", _stage(facts)


def _class(name: str, source: str, doc: str, body: str) -> tuple[str, str]:
    imports = "".join(f"import java.util.{each};\n" for each in ("List", "Map") if f"{each}." in body)
    text = (
        f"{HEAD.format(source=source)}\n{imports}{chr(10) if imports else ''}/** {doc} */\n"
        f"public final class {name} {{\n{body}\n  private {name}() {{}}\n}}\n"
    )
    return f"{FOLDER}/{name}.java", text


def _constants(pairs: list[tuple[str, str, str]]) -> str:
    """(name, value, meaning) → documented string constants."""
    return "".join(
        f'  /** {_sentence(meaning)} */\n  public static final String {name.upper()} = "{value}";\n\n'
        for name, value, meaning in pairs
    )


def _sentence(text: str) -> str:
    """Markdown → one Javadoc sentence."""
    plain = text.replace("`", "").replace("*", "")
    return plain[0].upper() + plain[1:] + "."


def _streams(facts: Facts) -> str:
    body = _constants([(s["name"], s["name"], s["meaning"]) for s in facts.streams])
    body += "  /** ClickHouse type of each column, by stream and column, in the order of the block. */\n"
    body += "  public static final Map<String, List<Column>> COLUMNS =\n      Map.ofEntries(\n"
    entries = []
    for stream in facts.streams:
        columns = ",\n".join(f'              new Column("{c}", "{t}")' for c, t in stream["columns"].items())
        name = stream["name"].upper()
        entries.append(f"          Map.entry(\n              {name},\n              List.of(\n{columns}))")
    return (
        body
        + ",\n".join(entries)
        + ");\n\n"
        + (
            "  /** A column of a stream: its name and ClickHouse type. */\n"
            "  public record Column(String name, String type) {}\n"
        )
    )


def _ledger_kinds(facts: Facts) -> str:
    body = _constants([(k["kind"], k["kind"], k["meaning"]) for k in facts.kinds])
    rows = ", ".join(f'"{k["stream"]}", {k["kind"].upper()}' for k in facts.kinds if k.get("rows"))
    body += "  /** The kind that a stream's recorded rows must equal. */\n"
    body += f"  public static final Map<String, String> ROWS = Map.of({rows});\n\n"
    counted_in = ", ".join(f'{k["kind"].upper()}, "{k["counted_in"]}"' for k in facts.kinds if "counted_in" in k)
    body += "  /** The stream under which the ledger counts a kind, if not the stream of its rows. */\n"
    body += f"  public static final Map<String, String> COUNTED_IN = Map.of({counted_in});\n\n"
    separate: dict[str, list[str]] = {}
    for kind in facts.kinds:
        if kind.get("separate"):
            separate.setdefault(kind["stream"], []).append(kind["kind"].upper())
    pairs = ", ".join(f'"{stream}", List.of({", ".join(kinds)})' for stream, kinds in separate.items())
    body += "  /** Kinds without rows of their own: only a checkpoint can restore them. */\n"
    return body + f"  public static final Map<String, List<String>> SEPARATE = Map.of({pairs});\n"


def _loss_reasons(facts: Facts) -> str:
    body = _constants([(r["name"], r["name"], r["meaning"].partition(". ")[0]) for r in facts.loss_reasons])
    unknown = [("unknown", facts.unknown_reason, "The reason of a count that no checkpoint has")]
    return (body + _constants(unknown)).rstrip() + "\n"


def _event_kinds(facts: Facts) -> str:
    described = [(e["kind"], e["kind"], f"names: {e['names']}; written by the {e['writer']}") for e in facts.events]
    return _constants(described).rstrip() + "\n"


def _secrets(facts: Facts) -> str:
    pattern = facts.secret_pattern.replace("\\", "\\\\")
    return (
        f'  /** Replaces a secret value. */\n  public static final String MASK = "{facts.mask}";\n\n'
        "  /** Found in a name, in any case of letters. */\n"
        f'  public static final String PATTERN =\n      "{pattern}";\n'
    )


def _exit_codes(facts: Facts) -> str:
    return "\n".join(
        f"  /** {_sentence(e['meaning'])} */\n  public static final int {e['name'].upper()} = {e['code']};\n"
        for e in facts.exit_codes
    )


def _stage(facts: Facts) -> str:
    values = ",\n".join(
        f'  /** {_sentence(s["to"] + " − " + s["from"])} */\n  {s["name"].upper()}("{s["name"]}")' for s in facts.stages
    )
    return Template((Path(__file__).parent / "Stage.java.txt").read_text(encoding="utf-8")).substitute(values=values)
