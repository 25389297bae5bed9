# SPDX-License-Identifier: Apache-2.0
"""Starts process-compose, reads the state of its processes, and starts and stops single ones."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from tailrace.errors import Failed
from tailrace.stack import requestrows
from tailrace.stack.durability import running
from tailrace.stack.paths import StackPaths
from tailrace.stack.processes import MARK
from tailrace.stack.ttls import ttls_file

# Relative to state/run: a unix socket's path may not exceed 107 bytes, a state folder's may.
_SOCKET = "process-compose.sock"
# The variables that a user may set for vmalert (stack/vmalert/start.sh); no other TAILRACE_ variable is passed on.
_ALERT_SETTINGS = ("TAILRACE_ALERTMANAGER_URL", "TAILRACE_SLO_P99_MS", "TAILRACE_GRAFANA_URL")
_COMPOSE_FILE = "stack/process-compose.yaml"
# What it changes for three brokers.
_BROKERS_FILE = "stack/three-brokers.yaml"
_ANSWER_S = 5.0
# The supervisor answers once the process has ended, which it may take 20 s for.
_STOP_ANSWER_S = 40.0


@dataclass(frozen=True)
class ProcessState:
    """One process as the supervisor sees it; ``pid`` is 0 when it does not run.

    ``stopped``: the user stopped or killed this broker (tailrace broker), and it does not run. ``paused``: a signal
    stopped the process (SIGSTOP), so it does not answer; the supervisor does not notice.
    """

    name: str
    status: str
    health: str
    pid: int
    restarts: int
    exit_code: int
    stopped: bool = False
    paused: bool = False

    @property
    def ready(self) -> bool:
        """Running and healthy, or a one-time process that succeeded."""
        if self.name == "migrate":
            return self.status == "Completed" and self.exit_code == 0
        return self.status == "Running" and self.health == "Ready" and not self.paused

    @property
    def broken(self) -> bool:
        """Waiting will not make it ready."""
        if self.ready or self.stopped:
            return False
        return self.status in ("Completed", "Skipped", "Error") or self.restarts >= 3

    @property
    def word(self) -> str:
        """Its condition in one or two words, for people."""
        if self.ready:
            return "done" if self.name == "migrate" else "ready"
        if self.stopped:
            return "stopped"
        if self.paused:
            return "paused"
        if self.broken and self.status == "Completed":
            return f"died, exit {self.exit_code}"
        # The last health result means nothing once the process is gone.
        return f"{self.status}, {self.health}".lower() if self.pid else self.status.lower()


def start(paths: StackPaths, cluster_id: str) -> "subprocess.Popen[bytes]":
    """Start the supervisor in a separate session, so that Ctrl-C does not reach it."""
    command = [str(paths.bin / "process-compose"), "up", "--config", str(paths.root / _COMPOSE_FILE)]
    if paths.brokers > 1:
        command += ["--config", str(paths.root / _BROKERS_FILE)]
    command += ["--tui=false", "--disable-dotenv", "--use-uds", "--unix-socket", _SOCKET]
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
        "KAFKA_BROKERS": str(paths.brokers),
        "WAREHOUSE_DURABILITY": running(paths),
        requestrows.VARIABLE: requestrows.word(requestrows.running(paths)),
        # Otherwise process-compose would keep its settings in the user's home.
        "PROC_COMP_CONFIG": str(paths.run),
    }
    if paths.brokers > 1:
        controllers = ((broker, paths.broker_port(broker, "CONTROLLER_PORT")) for broker in paths.broker_ids)
        settings["KAFKA_VOTERS"] = ",".join(f"{broker}@127.0.0.1:{port}" for broker, port in controllers)
    alerts = {name: env[name] for name in _ALERT_SETTINGS if env.get(name)}
    return kept | settings | alerts | {name: str(port) for name, port in paths.ports.items()}


def states(paths: StackPaths) -> list[ProcessState] | None:
    """All processes, sorted by name; None when no supervisor answers."""
    try:
        rows = json.loads(_ask(paths, "GET", "/processes"))["data"]
    except (OSError, http.client.HTTPException):
        return None
    return [
        ProcessState(
            name=row["name"],
            status=row["status"],
            health=row["is_ready"],
            pid=row["pid"] if row["is_running"] else 0,
            restarts=row["restarts"],
            exit_code=row["exit_code"],
            stopped=not row["is_running"] and stopped_mark(paths, row["name"]).exists(),
            paused=row["is_running"] and _is_paused(row["pid"]),
        )
        for row in sorted(rows, key=lambda row: row["name"])
        # Of three brokers the entry of the one broker is disabled.
        if row["status"] != "Disabled"
    ]


def _is_paused(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return False


def resume(state: ProcessState) -> bool:
    """Let a paused process go on; whether it was paused."""
    if state.paused:
        with contextlib.suppress(ProcessLookupError):
            os.kill(state.pid, signal.SIGCONT)
    return state.paused


def stopped_mark(paths: StackPaths, name: str) -> Path:
    """A file that exists while the user keeps this broker stopped."""
    return paths.run / f"{name}.stopped"


def start_process(paths: StackPaths, name: str) -> None:
    """Start a process that ended. Raises Failed when the supervisor refuses."""
    _order(paths, "POST", f"/process/start/{name}")


def stop_process(paths: StackPaths, name: str) -> None:
    """Send it SIGTERM; the supervisor kills it when it takes too long. Raises Failed when the supervisor refuses."""
    _order(paths, "PATCH", f"/process/stop/{name}")


def _order(paths: StackPaths, method: str, path: str) -> None:
    try:
        _ask(paths, method, path, _STOP_ANSWER_S)
    except (OSError, http.client.HTTPException) as err:
        raise Failed(f"the supervisor did not answer {path}: {err}; see {paths.logs}/supervisor.log") from err


def _ask(paths: StackPaths, method: str, path: str, timeout_s: float = _ANSWER_S) -> bytes:
    with _connection(paths, timeout_s) as connection:
        connection.request(method, path)
        answer = connection.getresponse()
        text = answer.read()
    if answer.status != http.client.OK:
        raise Failed(f"the supervisor answered HTTP {answer.status} to {path}; see {paths.logs}/supervisor.log")
    return text


@contextlib.contextmanager
def _connection(paths: StackPaths, timeout_s: float) -> Iterator[http.client.HTTPConnection]:
    folder = os.open(paths.run, os.O_RDONLY | os.O_DIRECTORY)
    try:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(timeout_s)
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
