# SPDX-License-Identifier: Apache-2.0
"""A run's first row: what it was asked to do, with which files and versions, on which host."""

import json
import os
import platform
import re
import socket
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace import __version__
from tailrace.runs import loadgen, planning, store
from tailrace.runs.prepared import Prepared
from tailrace.runs.redact import redact
from tailrace.stack.api import StackPaths, broker_facts, declared_brokers, request_rows

UNKNOWN = "unknown"


def first_row(prepared: Prepared, client: Client, fitness: Mapping[str, Any] | None) -> store.RunRow:
    """The row in state running. ``fitness``: what the check before the run found; None if it was left out."""
    plan, inputs = prepared.plan, prepared.inputs
    local = planning.brokers_are_local(plan, prepared.paths)
    manifest = {
        "plan": plan,
        "versions": _versions(prepared.paths, client, loadgen.java(), local),
        "host": _host(),
        "client_jvm": loadgen.jvm_options(),
        "brokers": broker_facts(prepared.paths) if local else declared_brokers(),
        "request_rows": local and request_rows(prepared.paths),
        "command": inputs.command_line(prepared.paths.root),
    }
    if fitness is not None:
        manifest["fitness"] = fitness
    if prepared.campaign is not None:
        manifest["campaign"] = prepared.campaign
    if prepared.experiment is not None:
        manifest["experiment"] = prepared.experiment
    now = datetime.now(UTC)
    return store.RunRow(
        run_id=prepared.run_id,
        workload_name=str(plan["workload"]),
        driver_name=str(plan["driver"]),
        state="running",
        started_time=now,
        finished_time=store.EPOCH,
        seed=int(plan["seed"]) % 2**64,
        workers=int(plan["workers"]),
        workload=redact(inputs.workload.read_text(encoding="utf-8")),
        driver=redact(inputs.driver.read_text(encoding="utf-8")),
        manifest=json.dumps(manifest),
        updated_time=now,
    )


def _host() -> dict[str, str | int]:
    """The machine that the load generator runs on."""
    memory_kib = _found(r"^MemTotal:\s+(\d+) kB", Path("/proc/meminfo"))
    return {
        "name": socket.gethostname(),
        "kernel": platform.release(),
        "cpus": os.cpu_count() or 0,
        "usable_cpus": len(os.sched_getaffinity(0)),
        "cpu_model": _found(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo")),
        "memory_bytes": int(memory_kib) * 1024 if memory_kib.isdigit() else 0,
        "os": _found(r'^PRETTY_NAME="?([^"\n]+)', Path("/etc/os-release")),
    }


def _versions(paths: StackPaths, client: Client, java: str, local_broker: bool) -> dict[str, str]:
    """Versions of every program of the run; ``unknown`` where one cannot be determined."""
    return {
        "kafka_broker": own_broker_version(paths) if local_broker else UNKNOWN,
        "kafka_client": _jar(paths.loadgen_jar.parent / "lib", "kafka-clients-"),
        "java": _java_version(java),
        "tailrace": __version__,
        "clickhouse": str(client.server_version),
        "victoriametrics": _found(
            r"github\.com/VictoriaMetrics/VictoriaMetrics (v\S+)", paths.root / "stack" / "tools" / "go.mod"
        ),
    }


def own_broker_version(paths: StackPaths) -> str:
    """Of the stack's own brokers."""
    return _jar(paths.kafka_home / "libs", "kafka_2.13-")


def _java_version(java: str) -> str:
    # java prints it on stderr, in quotes: openjdk version "17.0.15" 2025-04-15
    text = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "([^"]+)"', text)
    return match[1] if match else UNKNOWN


def _jar(folder: Path, prefix: str) -> str:
    for path in folder.glob(f"{prefix}*.jar"):
        return path.stem.removeprefix(prefix)
    return UNKNOWN


def _found(pattern: str, path: Path) -> str:
    try:
        match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return UNKNOWN
    return match[1].strip() if match else UNKNOWN
