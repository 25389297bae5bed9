# SPDX-License-Identifier: Apache-2.0
"""Whether two systems were, or would be, measured alike: clients, drives, durability.

Everything that differs is listed, and what is not known counts as different: a comparison that
cannot be shown to be fair is none.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tailrace.runs.planning import Plan

NOT_RECORDED = "not recorded"
# Where a cluster is and how it is logged on to is its own affair.
PLACES = ("bootstrap.servers", "client.id", "ssl.", "sasl.")
DURABLE_TOPIC = (
    "min.insync.replicas",
    "flush.messages",
    "flush.ms",
    "flush.bytes",
    "write.caching",
    "unclean.leader.election.enable",
)
# What these say while nobody has set them: each system has some that the other has not.
SHIPPED = {
    "flush.messages": ("9223372036854775807",),
    "flush.ms": ("9223372036854775807", "100"),
    "flush.bytes": ("262144",),
    "min.insync.replicas": ("1",),
    "unclean.leader.election.enable": ("false",),
    "write.caching": ("false",),
}
HOST = ("cpus", "cpu_model", "memory_bytes", "os", "kernel")
# A drive as an operator would choose it; its name may differ from host to host.
DRIVE = ("model", "bytes", "rotational", "scheduler", "file_system", "mount_options")
Facts = dict[str, str]


def of_plan(plan: Plan) -> Facts:
    """What a plan says of client settings and durability."""
    facts: Facts = {"durability: replication factor": str(plan["replication_factor"])}
    for side in ("producer", "consumer"):
        for name, value in plan[f"{side}_config"].items():
            if not name.startswith(PLACES):
                kind = "durability" if name == "acks" else f"{side} setting"
                facts[f"{kind}: {name}"] = str(value)
    topic: Mapping[str, Any] = plan["topic_config"]
    facts |= {f"durability: {name}": str(topic[name]) for name in DURABLE_TOPIC if name in topic}
    return facts


def of_run(manifest: Mapping[str, Any], told: Mapping[str, Any] | None) -> Facts:
    """What a manifest says of the clients' JVM and host, their settings, drives and durability.

    ``told``: durable settings of the topics as the brokers had them, where the run has asked.
    """
    versions, host = manifest.get("versions", {}), manifest.get("host", {})
    facts = of_plan(manifest["plan"])
    facts["client JVM: version"] = _known(versions.get("java"))
    facts["client JVM: options"] = _known(" ".join(manifest.get("client_jvm", [])))
    facts["client library: kafka-clients"] = _known(versions.get("kafka_client"))
    facts |= {f"client host: {name}": _known(host.get(name)) for name in HOST}
    facts["clients: load generators"] = _known(manifest["plan"].get("workers"))
    facts["durability: brokers' own settings"] = _as_told(manifest["plan"]["topic_config"], told)
    return facts | _drives(manifest.get("brokers", []))


def differences(names: tuple[str, str], first: Facts, second: Facts) -> list[str]:
    """One line for each fact that the two do not share, or that is not known of one."""
    return list(_differences(names, first, second))


def _differences(names: tuple[str, str], first: Facts, second: Facts) -> Iterator[str]:
    for fact in sorted(first.keys() | second.keys()):
        one, other = first.get(fact, "not set"), second.get(fact, "not set")
        if one != other:
            yield f"{fact}: {one} in {names[0]}, {other} in {names[1]}"
        elif one == NOT_RECORDED:
            yield f"{fact}: not recorded"


def _as_told(asked: Mapping[str, Any], told: Mapping[str, Any] | None) -> str:
    """What the brokers' own files say otherwise than they came, where the driver file is silent."""
    if told is None:
        return NOT_RECORDED
    own = [
        f"{name}={told[name]}"
        for name, shipped in SHIPPED.items()
        if name in told and name not in asked and str(told[name]) not in shipped
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
