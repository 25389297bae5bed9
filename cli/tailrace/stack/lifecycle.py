# SPDX-License-Identifier: Apache-2.0
"""Start and stop the whole stack. After ``down``, or an ``up`` that failed, nothing is left."""

import base64
import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from tailrace.errors import BadInput
from tailrace.stack import preflight, supervisor
from tailrace.stack.broker import broker_answers
from tailrace.stack.onerun import is_measuring
from tailrace.stack.paths import StackPaths
from tailrace.stack.processes import kill, stack_processes, supervisor_of
from tailrace.stack.readiness import wait_ready
from tailrace.stack.secrets import ensure_secrets

Say = Callable[[str], None]

# Longer than the sum of the ordered shutdown's own limits (process-compose.yaml).
_STOP_TIMEOUT_S = 60.0
# Folders of the state folder that have no name in StackPaths.
_OTHERS = ("secrets", "dead-letter", "campaigns", "experiments", "seeds")

ELSEWHERE = "TAILRACE_STACK_IS_ELSEWHERE"


def _silent(_line: str) -> None:
    pass


def up(paths: StackPaths, say: Say = _silent) -> bool:
    """Start the stack and wait until every part is healthy. False when it already was running.

    Raises BadInput when set-up, disk or ports do not allow it, Failed when a part does not become
    ready; then, and on Ctrl-C, everything is stopped again. A stack that was running before is
    stopped only when a part of it has died for good and no run is measuring.
    """
    with _only_one(paths):
        if supervisor_of(paths.state) is not None:
            broken = [state for state in supervisor.states(paths) or [] if state.broken]
            if not broken or is_measuring(paths):
                wait_ready(paths, None, _silent)
                return False
            for state in broken:
                say(f"{state.name} had {state.word}; the stack starts anew")
            for line in _stop(paths, say):
                say(line)
        if stack_processes(paths.state):
            say("an earlier stack lost its supervisor")
            for line in _stop(paths, say):
                say(line)
        preflight.check_all(paths)
        _make_folders(paths)
        try:
            started = supervisor.start(paths, _cluster_id(paths))
            wait_ready(paths, started, say)
        except BaseException:
            _stop(paths, _silent)
            raise
    return True


def down(paths: StackPaths, say: Say = _silent) -> list[str]:
    """Stop every process of the stack; one line of text for each that had to be killed.

    Ctrl-C cuts the patience short, not the work: what still runs is killed at once.
    """
    with _only_one(paths):
        return _stop(paths, say)


def reset(paths: StackPaths, say: Say = _silent) -> list[str]:
    """Stop the stack and delete what it keeps: stored runs, metrics, logs, secrets.

    Only folders that a stack makes are touched, whatever else lies in the state folder.
    """
    with _only_one(paths):
        lines = _stop(paths, say)
        for part in (paths.data, paths.runs, paths.logs, *(paths.state / name for name in _OTHERS)):
            shutil.rmtree(part, ignore_errors=not part.exists())
    shutil.rmtree(paths.run, ignore_errors=True)
    with contextlib.suppress(OSError):
        paths.state.rmdir()
    return lines


def is_up(paths: StackPaths) -> bool:
    """True when every process is running and healthy and the broker answers.

    ``TAILRACE_STACK_IS_ELSEWHERE=1`` says that somebody else supervises it: containers, a cluster.
    """
    if os.environ.get(ELSEWHERE) == "1":
        return True
    states = supervisor.states(paths)
    return bool(states) and all(state.ready for state in states or []) and broker_answers(paths.ports["KAFKA_PORT"])


def ended_parts(paths: StackPaths) -> list[str]:
    """Name and condition of each part that has died for good, as in "kafka died, exit -1"."""
    return [f"{state.name} {state.word}" for state in supervisor.states(paths) or [] if state.broken]


def _stop(paths: StackPaths, say: Say) -> list[str]:
    running = stack_processes(paths.state)
    try:
        if running:
            say(f"stopping {len(running)} processes")
        # The supervisor stops its own in order, but first goes who is not its own: a load
        # generator still ships what it has. Without a supervisor all are told at once.
        head = supervisor_of(paths.state)
        own = _family(head) if head else set()
        _terminate([process for process in running if process not in own])
        _terminate([process for process in running if process in own], head)
    finally:
        killed = []
        # More than once: a dying supervisor may still have been starting a child.
        while left := stack_processes(paths.state):
            killed += kill(left)
        supervisor.clear_socket(paths)
        _remove_broker_cgroup(paths)
    return killed


def _remove_broker_cgroup(paths: StackPaths) -> None:
    """Remove the control group that stack/kafka/cgroup.sh made; its broker has ended."""
    file = paths.run / "broker" / "cgroup"
    with contextlib.suppress(OSError):
        Path(file.read_text(encoding="utf-8").strip()).rmdir()
    file.unlink(missing_ok=True)


def _family(head: psutil.Process) -> set[psutil.Process]:
    try:
        return {head, *head.children(recursive=True)}
    except psutil.NoSuchProcess:
        return {head}


def _terminate(processes: list[psutil.Process], head: psutil.Process | None = None) -> None:
    """Tell ``head``, or else all of them, to end, and wait for them all."""
    for process in [head] if head else processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    psutil.wait_procs(processes, timeout=_STOP_TIMEOUT_S)


def _make_folders(paths: StackPaths) -> None:
    for folder in (paths.state, paths.logs, paths.data, paths.run, paths.runs):
        folder.mkdir(parents=True, exist_ok=True)
    # The supervisor's socket takes orders from whoever can open it.
    paths.run.chmod(0o700)
    (paths.run / "textfile").mkdir(exist_ok=True)
    for part in ("kafka", "warehouse", "victoriametrics"):
        (paths.data / part).mkdir(exist_ok=True)
    supervisor.clear_socket(paths)
    ensure_secrets(paths.secrets_file)


def _cluster_id(paths: StackPaths) -> str:
    """Kafka cluster id, made once per state folder: 16 bytes in base64, no dash in front."""
    file = paths.data / "kafka.cluster-id"
    if not file.exists():
        raw = b"T" + secrets.token_bytes(15)
        file.write_text(base64.urlsafe_b64encode(raw).decode().rstrip("="), encoding="ascii")
    return file.read_text(encoding="ascii")


@contextlib.contextmanager
def _only_one(paths: StackPaths) -> Iterator[None]:
    """Two commands that start or stop the same stack at once would undo each other."""
    paths.run.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (paths.run / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            raise BadInput(
                f"{paths.state}: another tailrace command is starting or stopping this stack; wait for it to end"
            ) from err
        yield
