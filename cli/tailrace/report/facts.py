# SPDX-License-Identifier: Apache-2.0
"""The sentences and figures of the page's head: what ran, how it went, what to be careful about."""

import shlex
from typing import Any

from tailrace.page.notices import Notice, Rate, of_numbers
from tailrace.page.words import MISSING, count, duration, elapsed, moment, size
from tailrace.report.data import RunData


def rate(data: RunData) -> Rate:
    summary = data.summary
    targets = [
        row["target_per_s"]
        for row in data.throughput.values()
        if row["phase"] == "measure" and row["target_per_s"]
    ]
    return Rate(summary["acked_per_s"], max(targets, default=None), summary["acked_bytes_per_s"])


def header(data: RunData) -> list[tuple[str, str, str]]:
    """Name, value and a finer print, of the facts under the title."""
    run, manifest = data.summary, data.stored["manifest"]
    host, versions = _known(manifest, "host"), _known(manifest, "versions")
    measure = f"measured {duration(run['measure_s'])}" if run["measure_s"] else "nothing measured"
    ended = run["finished_time"].timestamp() > 0
    took = (run["finished_time"] - run["started_time"]).total_seconds() if ended else None
    cpu = f"{host['cpus']} × {host.get('cpu_model', 'CPU')}" if host.get("cpus") else MISSING
    memory = f"{size(host['memory_bytes'])} memory" if host.get("memory_bytes") else ""
    kafka = versions.get("kafka_broker")
    client = versions.get("kafka_client")
    brokers = _brokers(manifest)
    devices = sorted({str(b["log_device"]) for b in brokers if b.get("log_device")})
    logs = f", log on {', '.join(devices)}" if devices else ""
    plural = "broker" if len(brokers) == 1 else "brokers"
    return [
        ("Run", run["run_id"], f"seed {data.stored['seed']}"),
        ("Started", moment(run["started_time"]), ""),
        ("Duration", duration(took) if took is not None else run["state"], measure),
        ("Broker", f"Kafka {kafka}" if kafka else MISSING, f"{len(brokers)} {plural}{logs}"),
        ("Clients", f"Kafka {client}" if client else MISSING, _named("Java", versions.get("java"))),
        ("Host", cpu, memory),
        ("System", str(host.get("kernel", MISSING)), str(host.get("os", ""))),
        ("Tailrace", str(versions.get("tailrace", MISSING)), _workers(data)),
    ]


def notices(data: RunData) -> list[Notice]:
    """What a reader must know before the numbers, gravest first."""
    numbers = of_numbers(data.summary, rate(data), data.percentiles)
    return [*_state(data), *numbers]


def _state(data: RunData) -> list[Notice]:
    state = data.summary["state"]
    seen = f"{count(data.summary['stored_publishes'])} acknowledged messages are stored so far."
    found = []
    if state == "running":
        text = f"{seen} Numbers change until it ends; build the report again then."
        found.append(Notice("info", "This run is still running.", text))
    elif state == "interrupted":
        text = "It was stopped before its planned end; what was measured until then is shown."
        found.append(Notice("warn", "This run was interrupted.", text))
    elif state == "failed":
        found.append(Notice("fail", "This run failed.", "What was measured until then is shown."))
    if not data.measured and state == "running":
        text = "Percentiles are shown when the measure phase has ended; until then over time only."
        found.append(Notice("info", "No percentiles yet.", text))
    elif not data.measured:
        text = "No message was due in a measure phase, so there are no latencies to show."
        found.append(Notice("warn", "Nothing was measured.", text))
    return found


def _part(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    part = manifest.get(name)
    return part if isinstance(part, dict) else {}


def _brokers(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    listed = manifest.get("brokers")
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _known(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    """The part without what could not be found out."""
    return {key: value for key, value in _part(manifest, name).items() if value != "unknown"}


def _named(name: str, version: object) -> str:
    return f"{name} {version}" if version else ""


def _workers(data: RunData) -> str:
    workers = data.stored["workers"]
    return f"{workers} load generator{'' if workers == 1 else 's'}"


def configuration(data: RunData) -> dict[str, Any]:
    """Tables and commands of the configuration section."""
    manifest, run_id = data.stored["manifest"], data.summary["run_id"]
    versions = [
        (name.replace("_", " "), version) for name, version in _part(manifest, "versions").items()
    ]
    for broker in _brokers(manifest):
        folders = ", ".join(map(str, broker.get("log_dirs") or [])) or MISSING
        where = (
            f"{broker.get('host', MISSING)}, log {folders} on {broker.get('log_device', MISSING)}"
        )
        versions.append((f"broker {broker.get('id', MISSING)}", where))
    host = _part(manifest, "host")
    machine = [(name.replace("_", " "), value) for name, value in host.items()]
    if host.get("memory_bytes"):
        machine = [pair for pair in machine if pair[0] != "memory bytes"]
        machine.append(("memory", size(host["memory_bytes"])))
    for phase in data.phases:
        start, length = elapsed(phase.start - data.origin), duration(phase.end - phase.start)
        machine.append((f"phase {phase.name}", f"from {start}, {length}"))
    quoted = shlex.quote(run_id)
    command = manifest.get("command") or "tailrace run …"
    again = [
        "tailrace up",
        str(command),
        f"tailrace audit {quoted}   # this run once more",
        f"tailrace report {quoted}  # this page once more",
    ]
    return {"versions": versions, "machine": machine, "reproduce": "\n".join(again)}
