# SPDX-License-Identifier: Apache-2.0
"""Facts about this machine and the versions in use, for the manifest."""

import os
import platform
import re
import socket
import subprocess
from pathlib import Path
from typing import TypedDict

from clickhouse_connect.driver.client import Client

from tailrace import __version__
from tailrace.stack.api import StackPaths

UNKNOWN = "unknown"


class HostFacts(TypedDict):
    """The machine the load generator runs on."""

    name: str
    kernel: str
    cpus: int
    cpu_model: str
    memory_bytes: int
    os: str


def host_facts() -> HostFacts:
    """Read from /proc and /etc/os-release."""
    memory_kib = _found(r"^MemTotal:\s+(\d+) kB", Path("/proc/meminfo"))
    return {
        "name": socket.gethostname(),
        "kernel": platform.release(),
        "cpus": os.cpu_count() or 0,
        "cpu_model": _found(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo")),
        "memory_bytes": int(memory_kib) * 1024 if memory_kib.isdigit() else 0,
        "os": _found(r'^PRETTY_NAME="?([^"\n]+)', Path("/etc/os-release")),
    }


def versions(paths: StackPaths, client: Client, java: str, local_broker: bool) -> dict[str, str]:
    """Versions of every program of the run; ``unknown`` where one cannot be determined."""
    return {
        "kafka_broker": _jar(paths.kafka_home / "libs", "kafka_2.13-") if local_broker else UNKNOWN,
        "kafka_client": _jar(paths.loadgen_jar.parent / "lib", "kafka-clients-"),
        "java": _java_version(java),
        "tailrace": __version__,
        "clickhouse": str(client.server_version),
        "victoriametrics": _found(
            r"github\.com/VictoriaMetrics/VictoriaMetrics (v\S+)", paths.root / "stack" / "tools" / "go.mod"
        ),
    }


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
