# SPDX-License-Identifier: Apache-2.0
"""The folders, files and ports of one stack. Standard library only, for `make doctor`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tailrace.errors import BadInput

_PACKAGE = Path(__file__).resolve().parents[1]
# A wheel carries the files that the command reads (cli/hatch_build.py); in a checkout they lie at its top.
_SHIPPED = _PACKAGE / "data"
# The checkout's top, for tests and the lab. The command itself reads ``StackPaths.root``.
REPO_ROOT = _PACKAGE.parents[1]
RESOURCES = _SHIPPED if _SHIPPED.is_dir() else REPO_ROOT
# How to get what set-up builds.
SET_UP = (
    "run make setup"
    if RESOURCES == REPO_ROOT
    else "run make setup in a checkout of Tailrace and set TAILRACE_HOME to its .tailrace folder"
)

PORT_NAMES = (
    *("KAFKA_PORT", "KAFKA_TLS_PORT", "KAFKA_CONTROLLER_PORT", "KAFKA_JMX_PORT", "NODE_EXPORTER_PORT", "IOPROBE_PORT"),
    *("PROCPROBE_PORT", "VICTORIAMETRICS_PORT", "VMALERT_PORT", "WAREHOUSE_PORT"),
    *("COLLECTOR_OTLP_HTTP_PORT", "COLLECTOR_HEALTH_PORT", "COLLECTOR_METRICS_PORT"),
)
# Behind KAFKA_ for broker 1, KAFKA_2_ for broker 2.
BROKER_PORTS = ("PORT", "TLS_PORT", "CONTROLLER_PORT", "JMX_PORT")
# Of brokers 2 and 3, which a stack of one broker does without.
MORE_PORT_NAMES = tuple(f"KAFKA_{broker}_{kind}" for broker in (2, 3) for kind in BROKER_PORTS)


@dataclass(frozen=True)
class StackPaths:
    """Folders, files and ports of one stack. Two stacks differ in ``state`` and ``ports_file``.

    ``root`` has the files that the command reads: queries, migrations, workloads, the stack's settings. ``home`` has
    what set-up built: ``bin``, ``lib``, ``kafka``, ``build``. ``brokers`` is how many brokers the stack has, 1 or 3:
    as many as run, and 1 while it is down.
    """

    root: Path
    home: Path
    state: Path
    ports_file: Path
    ports: Mapping[str, int]
    brokers: int = 1

    @classmethod
    def load(cls, env: Mapping[str, str] | None = None) -> StackPaths:
        """Read ``TAILRACE_HOME``, ``TAILRACE_STATE`` and ``TAILRACE_PORTS``.

        The home defaults to the checkout's ``.tailrace``, and to ``~/.local/share/tailrace`` where the command was
        installed from a wheel; the state defaults to ``state`` in the home. Raises BadInput when the ports file cannot
        be read or has an invalid line.
        """
        env = os.environ if env is None else env
        home = Path(env.get("TAILRACE_HOME") or _default_home()).absolute()
        state = Path(env.get("TAILRACE_STATE") or home / "state").absolute()
        ports_file = Path(env.get("TAILRACE_PORTS") or RESOURCES / "stack" / "ports.env").absolute()
        return cls(RESOURCES, home, state, ports_file, read_ports(ports_file), running_brokers(state))

    @property
    def bin(self) -> Path:
        return self.home / "bin"

    @property
    def lib(self) -> Path:
        """Libraries: those that the wheel carries, else those that set-up downloaded."""
        return (self.root if self.root == _SHIPPED else self.home) / "lib"

    @property
    def kafka_home(self) -> Path:
        return self.home / "kafka"

    @property
    def loadgen_jar(self) -> Path:
        return self.home / "build" / "loadgen" / "loadgen.jar"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def data(self) -> Path:
        return self.state / "data"

    @property
    def run(self) -> Path:
        """Rendered configuration files, the pid file and the supervisor's socket."""
        return self.state / "run"

    @property
    def runs(self) -> Path:
        """One folder per benchmark run."""
        return self.state / "runs"

    @property
    def broker_ids(self) -> range:
        return range(1, self.brokers + 1)

    def broker_process(self, broker: int) -> str:
        """The supervisor's name of a broker's process, also of its log."""
        return "kafka" if self.brokers == 1 else f"kafka-{broker}"

    def broker_port(self, broker: int, kind: str = "PORT") -> int:
        """``kind``: one of BROKER_PORTS."""
        return self.ports[f"KAFKA_{kind}" if broker == 1 else f"KAFKA_{broker}_{kind}"]

    def broker_servers(self, kind: str = "PORT") -> str:
        """Every broker's address, as ``bootstrap.servers`` takes them."""
        return ",".join(f"127.0.0.1:{self.broker_port(broker, kind)}" for broker in self.broker_ids)

    @property
    def used_ports(self) -> dict[str, int]:
        """Without those of brokers that this stack does not have."""
        return {name: port for name, port in self.ports.items() if self.brokers > 1 or name not in MORE_PORT_NAMES}

    @property
    def broker_data(self) -> Path:
        """What the brokers keep. One broker's and three brokers' data are apart."""
        return self.data / ("kafka" if self.brokers == 1 else "brokers")

    def broker_log_dir(self, broker: int) -> Path:
        return self.broker_data if self.brokers == 1 else self.broker_data / str(broker) / "log"

    @property
    def brokers_file(self) -> Path:
        """How many brokers run; the file is not there while the stack is down."""
        return _brokers_file(self.state)

    @property
    def durability_file(self) -> Path:
        """The durability of the running stack; the file is not there while the stack is down."""
        return self.run / "durability"

    @property
    def request_rows_file(self) -> Path:
        """on or off, of the running stack's brokers; the file is not there while the stack is down."""
        return self.run / "request-rows"

    @property
    def broker_certificate(self) -> Path:
        """The certificate that clients of the brokers' TLS listeners trust; the brokers' start script creates it."""
        return self.state / "secrets" / "kafka-tls" / "broker.pem"

    @property
    def secrets_file(self) -> Path:
        return self.state / "secrets" / "warehouse.env"


def _brokers_file(state: Path) -> Path:
    return state / "run" / "brokers"


def running_brokers(state: Path) -> int:
    """How many brokers the stack in ``state`` has; 1 while it is down."""
    try:
        return int(_brokers_file(state).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 1


def _default_home() -> Path:
    return REPO_ROOT / ".tailrace" if RESOURCES == REPO_ROOT else Path.home() / ".local" / "share" / "tailrace"


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
        if name not in PORT_NAMES + MORE_PORT_NAMES:
            raise BadInput(f"{where}: unknown port; known are {', '.join(PORT_NAMES + MORE_PORT_NAMES)}")
        if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= 65535:
            raise BadInput(f"{where}: '{value}' is not a port; give a number from 1 to 65535")
        twin = next((other for other, port in ports.items() if port == int(value)), None)
        if twin is not None:
            raise BadInput(f"{where}: {value} is already {twin}; give each its own number")
        ports[name] = int(value)
    missing = [name for name in PORT_NAMES if name not in ports]
    if missing:
        raise BadInput(f"{path}: {', '.join(missing)} missing; add a line NAME=number for each")
    return ports
