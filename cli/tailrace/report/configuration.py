# SPDX-License-Identifier: Apache-2.0
"""The configuration of a run, from its manifest, and the commands that repeat it."""

import shlex
from typing import Any

from tailrace.page.words import MISSING, duration, elapsed, phase_words, size
from tailrace.report.data import RunData


def sections(data: RunData) -> dict[str, Any]:
    """Tables and commands of the configuration section."""
    manifest, run_id = data.stored["manifest"], data.summary["run_id"]
    versions = [(name.replace("_", " "), version) for name, version in part(manifest, "versions").items()]
    for broker in brokers(manifest):
        folders = ", ".join(map(str, broker.get("log_dirs") or [])) or MISSING
        where = f"{broker.get('host', MISSING)}, log {folders} on {broker.get('log_device', MISSING)}"
        name = f"broker {broker.get('id', MISSING)}"
        versions.append((name, where))
        if drive := _drive(part(broker, "drive")):
            versions.append((f"{name}'s drive", drive))
    if manifest.get("client_jvm"):
        versions.append(("client jvm", _words(manifest["client_jvm"])))
    host = part(manifest, "host")
    machine = [(name.replace("_", " "), value) for name, value in host.items()]
    if host.get("memory_bytes"):
        machine = [pair for pair in machine if pair[0] != "memory bytes"]
        machine.append(("memory", size(host["memory_bytes"])))
    for phase in data.phases:
        start, length = elapsed(phase.start - data.origin), duration(phase.end - phase.start)
        machine.append((f"phase {phase_words(phase.name)}", f"from {start}, {length}"))
    quoted = shlex.quote(run_id)
    command = manifest.get("command") or "tailrace run …"
    commands = [
        "# save the workload and the driver above in the files named here",
        "tailrace up",
        str(command),
        f"tailrace audit {quoted}   # audits this run again",
        f"tailrace report {quoted}  # writes this page again",
    ]
    return {"versions": versions, "machine": machine, "reproduce": "\n".join(commands)}


def part(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    """A part of the manifest; empty if it is missing or not an object."""
    found = manifest.get(name)
    return found if isinstance(found, dict) else {}


def brokers(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """Facts about each broker; empty if the manifest has none."""
    listed = manifest.get("brokers")
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _drive(facts: dict[str, Any]) -> str:
    """The properties of a drive that affect the cost of a write; empty if none is known."""
    kind = {"0": "not rotational", "1": "rotational"}.get(str(facts.get("rotational")), "")
    scheduler = f"scheduler {facts['scheduler']}" if facts.get("scheduler") else ""
    mounted = " ".join(str(facts.get(name, "")) for name in ("file_system", "mount_options"))
    capacity = size(facts["bytes"]) if facts.get("bytes") else ""
    words = (str(facts.get("model", "")), capacity, kind, scheduler, mounted.strip())
    return ", ".join(word for word in words if word)


def _words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
