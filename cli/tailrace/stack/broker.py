# SPDX-License-Identifier: Apache-2.0
"""Facts about the stack's broker, and whether it answers."""

import socket
import struct
from typing import TypedDict

from tailrace.stack.devices import drive_of
from tailrace.stack.paths import StackPaths

_API_VERSIONS = 18


class BrokerFacts(TypedDict):
    """``log_device`` is node_exporter's ``device`` label, empty when the logs are on no drive."""

    id: int
    host: str
    log_dirs: list[str]
    log_device: str


def broker_facts(paths: StackPaths) -> list[BrokerFacts]:
    """One entry per broker of the local stack; it has one. Needs the stack to have been up once."""
    log_dir = paths.data / "kafka"
    device = drive_of(log_dir)
    return [{"id": 1, "host": "localhost", "log_dirs": [str(log_dir)], "log_device": device}]


def broker_answers(port: int, timeout_s: float = 2.0) -> bool:
    """True when a Kafka broker on 127.0.0.1:port answers an ApiVersions request."""
    correlation = 7
    client = b"tailrace"
    body = struct.pack(">hhih", _API_VERSIONS, 0, correlation, len(client)) + client
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as connection:
            connection.sendall(struct.pack(">i", len(body)) + body)
            head = connection.recv(10, socket.MSG_WAITALL)
    except OSError:
        return False
    if len(head) < 10:
        return False
    _size, answered, error = struct.unpack(">iih", head)
    return bool(answered == correlation and error == 0)
