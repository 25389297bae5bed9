# SPDX-License-Identifier: Apache-2.0
"""Checks whether two systems are measured under the same conditions: clients, drives, durability.

Lists every difference. An unknown fact counts as a difference, because the comparison cannot be shown to be fair.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.runs.planning import Plan
from tailrace.warehouse import select

NOT_RECORDED = "not recorded"
# Addresses and credentials may differ.
PLACES = ("bootstrap.servers", "client.id", "ssl.", "sasl.")
# The settings of topics that affect durability, with their defaults; each system has some that the other does not have.
SHIPPED = {
    "flush.messages": ("9223372036854775807",),
    "flush.ms": ("9223372036854775807", "100"),
    "flush.bytes": ("262144",),
    "min.insync.replicas": ("1",),
    "unclean.leader.election.enable": ("false",),
    "write.caching": ("false",),
}
HOST = ("cpus", "cpu_model", "memory_bytes", "os", "kernel")
# The facts by which an operator would choose a drive; its name may differ between hosts.
DRIVE = ("model", "bytes", "rotational", "scheduler", "file_system", "mount_options")
MANIFEST = "SELECT manifest FROM v_runs WHERE run_id = {r:String}"
SETTINGS = "SELECT detail FROM v_run_events WHERE run_id = {r:String} AND kind = 'topic' AND name = 'settings'"
Facts = dict[str, str]


def plan_facts(plan: Plan) -> Facts:
    """The client settings and durability of a plan."""
    facts: Facts = {"durability: replication factor": str(plan["replication_factor"])}
    for side in ("producer", "consumer"):
        for name, value in plan[f"{side}_config"].items():
            if not name.startswith(PLACES):
                kind = "durability" if name == "acks" else f"{side} setting"
                facts[f"{kind}: {name}"] = str(value)
    topic: Mapping[str, Any] = plan["topic_config"]
    facts |= {f"durability: {name}": str(topic[name]) for name in SHIPPED if name in topic}
    return facts


def run_facts(manifest: Mapping[str, Any], reported: Mapping[str, Any] | None) -> Facts:
    """The clients' JVM, host and settings, the drives and the durability, from a manifest.

    ``reported``: the topics' durability settings as the brokers reported them, if the run asked for them.
    """
    versions, host = manifest.get("versions", {}), manifest.get("host", {})
    facts = plan_facts(manifest["plan"])
    facts["client JVM: version"] = _known(versions.get("java"))
    facts["client JVM: options"] = _known(" ".join(manifest.get("client_jvm", [])))
    facts["client library: kafka-clients"] = _known(versions.get("kafka_client"))
    facts |= {f"client host: {name}": _known(host.get(name)) for name in HOST}
    facts["clients: load generators"] = _known(manifest["plan"].get("workers"))
    facts["durability: brokers' own settings"] = _broker_settings(manifest["plan"]["topic_config"], reported)
    return facts | _drives(manifest.get("brokers", []))


def differences(names: tuple[str, str], first: Facts, second: Facts) -> list[str]:
    """One line for each fact that differs or is unknown."""
    return list(_differences(names, first, second))


def _differences(names: tuple[str, str], first: Facts, second: Facts) -> Iterator[str]:
    for fact in sorted(first.keys() | second.keys()):
        one, other = first.get(fact, "not set"), second.get(fact, "not set")
        if one != other:
            yield f"{fact}: {one} in {names[0]}, {other} in {names[1]}"
        elif one == NOT_RECORDED:
            yield f"{fact}: not recorded"


def _broker_settings(driver: Mapping[str, Any], reported: Mapping[str, Any] | None) -> str:
    """The settings that the brokers' files change from the defaults and that the driver file does not set."""
    if reported is None:
        return NOT_RECORDED
    own = [
        f"{name}={reported[name]}"
        for name, shipped in SHIPPED.items()
        if name in reported and name not in driver and str(reported[name]) not in shipped
    ]
    return ", ".join(own) or "as shipped"


def _drives(brokers: list[Mapping[str, Any]]) -> Facts:
    if not brokers:
        return {"drives: brokers": NOT_RECORDED}
    facts: Facts = {"drives: brokers": str(len(brokers))}
    for number, broker in enumerate(brokers, start=1):
        drive = broker.get("drive", {})
        for name in DRIVE:
            facts[f"drives: broker {number}: {name}"] = _known(drive.get(name))
    return facts


def _known(value: object) -> str:
    text = "" if value is None else str(value)
    return NOT_RECORDED if text in ("", "unknown") else text


def stored_facts(client: Client, run_id: str) -> Facts:
    """The known facts about a stored run's clients, drives and durability."""
    reported = select(client, SETTINGS, r=run_id)
    return run_facts(manifest(client, run_id), json.loads(reported[0][0]) if reported else None)


def manifest(client: Client, run_id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(select(client, MANIFEST, r=run_id)[0][0])
    return found


def verdict(names: tuple[str, str], first: Mapping[str, str], second: Mapping[str, str]) -> str:
    """Whether two results may be compared, and every difference where not."""
    if not first or not second:
        return "not to be compared: nothing is known of their clients and drives"
    if differ := differences(names, dict(first), dict(second)):
        return f"not to be compared: {'; '.join(differ)}"
    return "may be compared: clients, drives and durability are alike"
