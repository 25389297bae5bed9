# SPDX-License-Identifier: Apache-2.0
"""Facts about brokers, and whether one of the stack's answers."""

import ipaddress
import json
import os
import re
import socket
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from tailrace.errors import BadInput
from tailrace.stack.drives import DriveFacts, drive_facts, drive_of
from tailrace.stack.paths import StackPaths

_API_VERSIONS = 18
_SERVER = re.compile(r"(?:\w+://)?\[?(?P<host>[^\[\]/]+?)\]?:(?P<port>\d+)")


class BrokerFacts(TypedDict):
    """``log_device`` is node_exporter's ``device`` label, empty when the logs are on no drive; ``drive`` has more facts
    about that drive, where they could be read."""

    id: int
    host: str
    log_dirs: list[str]
    log_device: str
    drive: NotRequired[DriveFacts]


def broker_facts(paths: StackPaths) -> list[BrokerFacts]:
    """One entry per broker of the local stack. The stack must have been up once."""
    return [_own_facts(paths, broker) for broker in paths.broker_ids]


def _own_facts(paths: StackPaths, broker: int) -> BrokerFacts:
    log_dir = paths.broker_log_dir(broker)
    device = drive_of(log_dir)
    facts = drive_facts(log_dir, device)
    return {"id": broker, "host": "localhost", "log_dirs": [str(log_dir)], "log_device": device, "drive": facts}


def declared_brokers(env: Mapping[str, str] | None = None) -> list[BrokerFacts]:
    """Brokers on other hosts, from the JSON file that ``TAILRACE_BROKERS`` names; none when it is not set.

    Raises BadInput naming the file when it cannot be read or a field is missing.
    """
    env = os.environ if env is None else env
    name = env.get("TAILRACE_BROKERS")
    if not name:
        return []
    try:
        found = json.loads(Path(name).read_text(encoding="utf-8"))
        return [_parse(broker) for broker in found]
    except (OSError, ValueError, KeyError, TypeError) as err:
        why = err.strerror if isinstance(err, OSError) else f"{type(err).__name__} {err}"
        raise BadInput(
            f"TAILRACE_BROKERS={name}: {why}; give a JSON list of brokers, each with id, host, log_dirs and log_device"
        ) from err


def _parse(broker: Mapping[str, Any]) -> BrokerFacts:
    facts: BrokerFacts = {
        "id": int(broker["id"]),
        "host": str(broker["host"]),
        "log_dirs": [str(folder) for folder in broker["log_dirs"]],
        "log_device": str(broker["log_device"]),
    }
    if "drive" in broker:
        facts["drive"] = broker["drive"]
    return facts


def is_stack_broker(paths: StackPaths, bootstrap_servers: str) -> bool:
    """True when every ``HOST:PORT`` of the list is loopback with a port of one of the stack's brokers."""
    servers = [text.strip() for text in bootstrap_servers.split(",") if text.strip()]
    ports = [paths.broker_port(broker, kind) for broker in paths.broker_ids for kind in ("PORT", "TLS_PORT")]
    return bool(servers) and all(_is_here(text, ports) for text in servers)


def _is_here(server: str, ports: Sequence[int]) -> bool:
    match = _SERVER.fullmatch(server)
    if match is None or int(match["port"]) not in ports:
        return False
    try:
        found = socket.getaddrinfo(match["host"], match["port"], type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(ipaddress.ip_address(address[0]).is_loopback for *_, address in found)


def partition_bytes(paths: StackPaths, topic_config: Mapping[str, str]) -> int | None:
    """The most bytes that the stack's broker keeps of a partition: its retention and the open segment.

    ``topic_config`` overrides stack/kafka/server.properties. None when the broker never deletes.
    """
    file = paths.root / "stack" / "kafka" / "server.properties"
    lines = (line.partition("=") for line in file.read_text(encoding="utf-8").splitlines())
    broker = {key.strip(): value.strip() for key, _, value in lines}

    def size(name: str) -> int:
        text = topic_config.get(f"{name}.bytes", broker[f"log.{name}.bytes"])
        return int(text) if text.isdigit() else -1

    retained, segment = size("retention"), size("segment")
    deletes = "delete" in topic_config.get("cleanup.policy", "delete")
    return retained + segment if deletes and min(retained, segment) >= 0 else None


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
