# SPDX-License-Identifier: Apache-2.0
"""A block emitter written from docs/contracts/block.md alone: imports nothing of Tailrace."""

import struct
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass

from backports import zstd

Value = int | str
FIXED = {
    "UInt16": "H",
    "UInt32": "I",
    "UInt64": "Q",
    "Int32": "i",
    "Int64": "q",
    "DateTime64(6, 'UTC')": "q",
}
INDEXES = "BHI"


@dataclass(frozen=True)
class Answer:
    """HTTP status and the reason of a refusal."""

    status: int
    message: str


@dataclass(frozen=True)
class Emitter:
    """Sends one block at a time. ``endpoint``: the collector's OTLP/HTTP receiver, without path."""

    endpoint: str
    run_id: str
    worker: int

    def post(self, stream: str, seq: int, columns: str, rows: Sequence[Sequence[Value]], nanos: int) -> Answer:
        """``columns``: as in the contract's table; ``rows``: values in their order."""
        attributes = {
            "tailrace.run.id": self.run_id,
            "tailrace.worker.id": self.worker,
            "tailrace.stream": stream,
            "tailrace.block.seq": seq,
            "tailrace.block.rows": len(rows),
            "tailrace.block.encoding": "native+zstd",
            "tailrace.block.columns": columns,
        }
        body = zstd.compress(native(columns, rows), level=1)
        request = urllib.request.Request(
            f"{self.endpoint}/v1/logs",
            data=export_request(nanos, attributes, body),
            headers={"Content-Type": "application/x-protobuf"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return Answer(answer.status, "")
        except urllib.error.HTTPError as refusal:
            return Answer(refusal.code, refusal.read().decode(errors="replace"))


def varuint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def text(value: str) -> bytes:
    encoded = value.encode()
    return varuint(len(encoded)) + encoded


def native(columns: str, rows: Sequence[Sequence[Value]]) -> bytes:
    """A Native block. Columns are separated by a comma and a blank before a name; types contain both too."""
    declared = [each.split(" ", 1) for each in columns.replace(", 'UTC')", ",'UTC')").split(", ")]
    out = [varuint(len(declared)), varuint(len(rows))]
    for index, (name, kind) in enumerate(declared):
        kind = kind.replace(",'UTC')", ", 'UTC')")
        out += [text(name), text(kind), column(kind, [row[index] for row in rows])]
    return b"".join(out)


def column(kind: str, values: Sequence[Value]) -> bytes:
    if kind == "String":
        return b"".join(text(str(value)) for value in values)
    if kind == "LowCardinality(String)":
        return low_cardinality([str(value) for value in values])
    return struct.pack(f"<{len(values)}{FIXED[kind]}", *values)


def low_cardinality(values: list[str]) -> bytes:
    keys = list(dict.fromkeys(["", *values]))
    code = next(code for code in range(3) if len(keys) <= 256 ** (2**code))
    indexes = struct.pack(
        f"<{len(values)}{INDEXES[code]}",
        *({key: i for i, key in enumerate(keys)}[v] for v in values),
    )
    head = struct.pack("<QQQ", 1, 0x600 + code, len(keys))
    return head + b"".join(map(text, keys)) + struct.pack("<Q", len(values)) + indexes


def field(number: int, content: bytes) -> bytes:
    """A protobuf field of wire type 2."""
    return varuint(number << 3 | 2) + varuint(len(content)) + content


def export_request(nanos: int, attributes: dict[str, Value], body: bytes) -> bytes:
    """OTLP's ExportLogsServiceRequest with one log record, by its published field numbers."""
    record = varuint(1 << 3 | 1) + struct.pack("<Q", nanos) + field(5, field(7, body))
    for key, value in attributes.items():
        held = field(1, value.encode()) if isinstance(value, str) else varuint(3 << 3) + varuint(value)
        record += field(6, field(1, key.encode()) + field(2, held))
    return field(1, field(2, field(2, record)))
