# SPDX-License-Identifier: Apache-2.0
"""The head of the report: what ran, how it ended, and warnings about its numbers."""

from collections.abc import Collection
from typing import Any

from tailrace.page.notices import Notice, Rate, run_notices
from tailrace.page.words import MISSING, count, duration, moment, size
from tailrace.report.configuration import brokers, part
from tailrace.report.data import RunData

# Events of a load generator that ends a run early.
FATAL = {"run_failed", "run_aborted"}
# A consumer that cannot poll reports it every second, so only this many reasons are shown.
MOST_REASONS = 4


def rate(data: RunData) -> Rate:
    summary = data.summary
    targets = [
        row["target_per_s"] for row in data.throughput.values() if row["phase"] == "measure" and row["target_per_s"]
    ]
    return Rate(summary["acked_per_s"], max(targets, default=None), summary["acked_bytes_per_s"])


def header(data: RunData) -> list[tuple[str, str, str]]:
    """(name, value, small print) of each fact under the title."""
    run, manifest = data.summary, data.stored["manifest"]
    host, versions = _known(manifest, "host"), _known(manifest, "versions")
    so_far = " so far" if run["state"] == "running" and data.unended else ""
    measure = "nothing measured"
    if data.measured:
        measure = f"measured {duration(run['measure_s'])}{so_far}"
    ended = run["finished_time"].timestamp() > 0
    took = (run["finished_time"] - run["started_time"]).total_seconds() if ended else None
    cpu = f"{host['cpus']} × {host.get('cpu_model', 'CPU')}" if host.get("cpus") else MISSING
    memory = f"{size(host['memory_bytes'])} memory" if host.get("memory_bytes") else ""
    kafka = versions.get("kafka_broker")
    client = versions.get("kafka_client")
    listed = brokers(manifest)
    devices = sorted({str(b["log_device"]) for b in listed if b.get("log_device")})
    logs = f", log on {', '.join(devices)}" if devices else ""
    plural = "broker" if len(listed) == 1 else "brokers"
    return [
        ("Run", run["run_id"], f"random seed {data.stored['seed']}"),
        ("Started", moment(run["started_time"]), ""),
        ("Duration", duration(took) if took is not None else run["state"], measure),
        ("Broker", f"Kafka {kafka}" if kafka else MISSING, f"{len(listed)} {plural}{logs}"),
        ("Clients", f"Kafka {client}" if client else MISSING, _named("Java", versions.get("java"))),
        ("Host", cpu, memory),
        ("System", str(host.get("kernel", MISSING)), str(host.get("os", ""))),
        ("Tailrace", str(versions.get("tailrace", MISSING)), _workers(data)),
    ]


def notices(data: RunData) -> list[Notice]:
    """What a reader must know before the numbers, the worst first."""
    numbers = run_notices(data.summary, rate(data), data.percentiles, data.conditions)
    return [*_state(data), *numbers]


def _state(data: RunData) -> list[Notice]:
    state = data.summary["state"]
    stored = f"{count(data.summary['stored_publishes'])} acknowledged messages are stored so far."
    found, named = [], set[str]()
    if state == "running":
        text = f"{stored} The numbers change until the run ends; build the report again then."
        found.append(Notice("info", "This run is still running.", text))
    elif state == "interrupted":
        text = "It was stopped before its planned end; the page shows what was measured until then."
        found.append(Notice("warn", "This run was interrupted.", text))
    elif state == "failed":
        named = FATAL
        text = " ".join([*_reasons(data, named), "The page shows what was measured until then."])
        found.append(Notice("fail", "This run failed.", text))
    if troubles := _reasons(data, {row["name"] for row in data.errors} - named):
        found.append(Notice("warn", "The load generator reported errors.", " ".join(troubles)))
    if not data.measured:
        title = "No percentiles yet." if state == "running" else "Nothing was measured."
        why = unmeasured(data)
        over_time = " Rates and latencies are shown over time." if data.seconds else ""
        text = f"{why[0].upper()}{why[1:]}.{over_time}"
        found.append(Notice("info" if state == "running" else "warn", title, text))
    return found


def _reasons(data: RunData, names: Collection[str]) -> list[str]:
    """The first few details of events with these names, each once."""
    details = dict.fromkeys(row["detail"].strip() for row in data.errors if row["name"] in names)
    sentences = [f"{text.rstrip('.')}." for text in details if text]
    rest = len(sentences) - MOST_REASONS
    more = [f"And {rest} more: tailrace query run_events."] if rest > 0 else []
    return sentences[:MOST_REASONS] + more


def unmeasured(data: RunData) -> str:
    """Why there are no percentiles, as a clause."""
    run = data.summary
    if all(phase.name != "measure" for phase in data.phases):
        never = "has not begun" if run["state"] == "running" else "never began"
        return f"the measure phase {never}"
    if 0 < run["measure_s"] < 2 and data.throughput:
        return (
            f"no whole second lies in the measure phase of {duration(run['measure_s'])}, and this page"
            " shows whole seconds (tailrace query latency_percentiles reads every message)"
        )
    return "no message intended in the measure phase is stored"


def _known(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    """The part without unknown values."""
    return {key: value for key, value in part(manifest, name).items() if value != "unknown"}


def _named(name: str, version: object) -> str:
    return f"{name} {version}" if version else ""


def _workers(data: RunData) -> str:
    workers = data.stored["workers"]
    return f"{workers} load generator{'' if workers == 1 else 's'}"
