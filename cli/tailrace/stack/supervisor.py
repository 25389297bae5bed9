# SPDX-License-Identifier: Apache-2.0
"""Starts process-compose and reads the state of its processes."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tailrace.errors import Failed
from tailrace.stack.paths import StackPaths
from tailrace.stack.processes import MARK
from tailrace.stack.ttls import ttls_file

# Relative to state/run: a unix socket's path may not exceed 107 bytes, a state folder's may.
_SOCKET = "process-compose.sock"
# The variables that a user may set for vmalert (stack/vmalert/start.sh); no other TAILRACE_ variable is passed on.
_ALERT_SETTINGS = ("TAILRACE_ALERTMANAGER_URL", "TAILRACE_SLO_P99_MS", "TAILRACE_GRAFANA_URL")
_COMPOSE_FILE = "stack/process-compose.yaml"


@dataclass(frozen=True)
class ProcessState:
    """One process as the supervisor sees it; ``pid`` is 0 when it does not run."""

    name: str
    status: str
    health: str
    pid: int
    restarts: int
    exit_code: int

    @property
    def ready(self) -> bool:
        """Running and healthy, or a one-time process that succeeded."""
        if self.name == "migrate":
            return self.status == "Completed" and self.exit_code == 0
        return self.status == "Running" and self.health == "Ready"

    @property
    def broken(self) -> bool:
        """Waiting will not make it ready."""
        if self.ready:
            return False
        return self.status in ("Completed", "Skipped", "Error") or self.restarts >= 3

    @property
    def word(self) -> str:
        """Its condition in one or two words, for people."""
        if self.ready:
            return "done" if self.name == "migrate" else "ready"
        if self.broken and self.status == "Completed":
            return f"died, exit {self.exit_code}"
        # The last health result means nothing once the process is gone.
        return f"{self.status}, {self.health}".lower() if self.pid else self.status.lower()


def start(paths: StackPaths, cluster_id: str) -> "subprocess.Popen[bytes]":
    """Start the supervisor in a separate session, so that Ctrl-C does not reach it."""
    command = [str(paths.bin / "process-compose"), "up", "--config", str(paths.root / _COMPOSE_FILE), "--tui=false"]
    command += ["--disable-dotenv", "--use-uds", "--unix-socket", _SOCKET]
    command += ["--log-file", str(paths.logs / "supervisor.log")]
    with (paths.logs / "supervisor.out").open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=paths.run,
            env=_environment(paths, cluster_id, os.environ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _environment(paths: StackPaths, cluster_id: str, env: Mapping[str, str]) -> dict[str, str]:
    # PC_* would configure process-compose; only two children may see the warehouse's password.
    dropped = ("PC_", "TAILRACE_", "WAREHOUSE_", "KAFKA_", "COMPOSE_SHELL")
    kept = {name: value for name, value in env.items() if not name.startswith(dropped)}
    settings = {
        MARK: str(paths.state),
        "TAILRACE_ROOT": str(paths.root),
        "TAILRACE_HOME": str(paths.home),
        "TAILRACE_STATE": str(paths.state),
        "TAILRACE_TTLS": str(ttls_file(env)),
        "KAFKA_HOME": str(paths.kafka_home),
        "KAFKA_CLUSTER_ID": cluster_id,
        # Otherwise process-compose would keep its settings in the user's home.
        "PROC_COMP_CONFIG": str(paths.run),
    }
    alerts = {name: env[name] for name in _ALERT_SETTINGS if env.get(name)}
    return kept | settings | alerts | {name: str(port) for name, port in paths.ports.items()}


def states(paths: StackPaths) -> list[ProcessState] | None:
    """All processes, sorted by name; None when no supervisor answers."""
    try:
        with _connection(paths) as connection:
            connection.request("GET", "/processes")
            answer = connection.getresponse()
            text = answer.read()
    except (OSError, http.client.HTTPException):
        return None
    if answer.status != http.client.OK:
        raise Failed(f"the supervisor answered HTTP {answer.status}; see {paths.logs}/supervisor.log")
    return [
        ProcessState(
            name=row["name"],
            status=row["status"],
            health=row["is_ready"],
            pid=row["pid"] if row["is_running"] else 0,
            restarts=row["restarts"],
            exit_code=row["exit_code"],
        )
        for row in sorted(json.loads(text)["data"], key=lambda row: row["name"])
    ]


@contextlib.contextmanager
def _connection(paths: StackPaths) -> Iterator[http.client.HTTPConnection]:
    folder = os.open(paths.run, os.O_RDONLY | os.O_DIRECTORY)
    try:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(5)
        connection = http.client.HTTPConnection("localhost")
        with contextlib.closing(link):
            link.connect(f"/proc/self/fd/{folder}/{_SOCKET}")
            connection.sock = link
            yield connection
    finally:
        os.close(folder)


def clear_socket(paths: StackPaths) -> None:
    """Remove a socket that a crashed machine left behind; only called when no supervisor runs."""
    (paths.run / _SOCKET).unlink(missing_ok=True)
