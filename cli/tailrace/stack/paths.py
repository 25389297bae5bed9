# SPDX-License-Identifier: Apache-2.0
"""Where the files and ports of one stack are. Standard library only, for `make doctor`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tailrace.errors import BadInput

REPO_ROOT = Path(__file__).resolve().parents[3]

PORT_NAMES = (
    "KAFKA_PORT",
    "KAFKA_TLS_PORT",
    "KAFKA_CONTROLLER_PORT",
    "KAFKA_JMX_PORT",
    "NODE_EXPORTER_PORT",
    "IOPROBE_PORT",
    "PROCPROBE_PORT",
    "VICTORIAMETRICS_PORT",
    "VMALERT_PORT",
    "WAREHOUSE_PORT",
    "COLLECTOR_OTLP_HTTP_PORT",
    "COLLECTOR_HEALTH_PORT",
    "COLLECTOR_METRICS_PORT",
)


@dataclass(frozen=True)
class StackPaths:
    """Folders, files and ports of one stack. Two stacks differ in ``state`` and ``ports_file``."""

    root: Path
    state: Path
    ports_file: Path
    ports: Mapping[str, int]

    @classmethod
    def load(cls, env: Mapping[str, str] | None = None) -> StackPaths:
        """Read ``TAILRACE_STATE`` and ``TAILRACE_PORTS``; by default the repository's own.

        Raises BadInput when the ports file cannot be read or names a port wrongly.
        """
        env = os.environ if env is None else env
        state = env.get("TAILRACE_STATE") or REPO_ROOT / ".tailrace" / "state"
        ports_file = env.get("TAILRACE_PORTS") or REPO_ROOT / "stack" / "ports.env"
        ports_path = Path(ports_file).absolute()
        return cls(REPO_ROOT, Path(state).absolute(), ports_path, read_ports(ports_path))

    @property
    def home(self) -> Path:
        """Everything that set-up built: ``bin``, ``lib``, ``kafka``, ``build``."""
        return self.root / ".tailrace"

    @property
    def bin(self) -> Path:
        return self.home / "bin"

    @property
    def lib(self) -> Path:
        return self.home / "lib"

    @property
    def kafka_home(self) -> Path:
        return self.home / "kafka"

    @property
    def loadgen_jar(self) -> Path:
        return self.home / "build" / "loadgen" / "loadgen-0.1.0.jar"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def data(self) -> Path:
        return self.state / "data"

    @property
    def run(self) -> Path:
        """Rendered configurations, the pid file and the supervisor's socket."""
        return self.state / "run"

    @property
    def runs(self) -> Path:
        """One folder per benchmark run."""
        return self.state / "runs"

    @property
    def broker_certificate(self) -> Path:
        """What clients of the broker's listener with TLS trust; its start makes it."""
        return self.state / "secrets" / "kafka-tls" / "broker.pem"

    @property
    def secrets_file(self) -> Path:
        return self.state / "secrets" / "warehouse.env"


def read_ports(path: Path) -> dict[str, int]:
    """Parse ``NAME=number`` lines. Raises BadInput naming file, line and remedy."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as err:
        raise BadInput(f"{path}: {err.strerror}; set TAILRACE_PORTS to a ports file") from err
    ports: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, _, value = (part.strip() for part in line.partition("="))
        where = f"{path}:{number}: {name}"
        if name not in PORT_NAMES:
            raise BadInput(f"{where}: unknown port; known are {', '.join(PORT_NAMES)}")
        if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= 65535:
            raise BadInput(f"{where}: '{value}' is no port; give a number from 1 to 65535")
        twin = next((other for other, port in ports.items() if port == int(value)), None)
        if twin is not None:
            raise BadInput(f"{where}: {value} is already {twin}; give each its own number")
        ports[name] = int(value)
    missing = [name for name in PORT_NAMES if name not in ports]
    if missing:
        raise BadInput(f"{path}: {', '.join(missing)} missing; add a line NAME=number for each")
    return ports
