# SPDX-License-Identifier: Apache-2.0
"""Start and stop the whole stack. After ``down``, or a failed ``up``, no process is left."""

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
from tailrace.stack import brokerdrives, preflight, requestrows, supervisor
from tailrace.stack.broker import broker_answers
from tailrace.stack.durability import NONE, check_running, running
from tailrace.stack.onerun import is_measuring
from tailrace.stack.paths import StackPaths, running_brokers
from tailrace.stack.processes import kill, stack_processes, supervisor_of
from tailrace.stack.readiness import wait_ready
from tailrace.stack.secrets import ensure_secrets

Say = Callable[[str], None]

# Longer than the sum of the shutdown limits in process-compose.yaml.
_STOP_TIMEOUT_S = 60.0
# Folders of the state folder that StackPaths does not name.
_OTHERS = ("secrets", "dead-letter", "campaigns", "experiments", "certificates")

ELSEWHERE = "TAILRACE_STACK_IS_ELSEWHERE"


def _silent(_line: str) -> None:
    pass


def up(
    paths: StackPaths,
    say: Say = _silent,
    durability: str | None = None,
    request_rows: bool | None = None,
    started_again: Say = _silent,
) -> bool:
    """Start the stack with ``paths.brokers`` brokers and wait until every process is healthy. False when it was
    running already; then brokers that the user had stopped or paused work again. ``durability`` of the warehouse: none
    or fsync. ``started_again`` gets the process name of each broker that started, once it is ready.
    ``request_rows``: whether the brokers record their requests.

    Raises BadInput when set-up, disk or ports do not allow it, or it runs with another number of brokers, durability
    or setting of request rows; Failed when a process does not become ready; then, and on Ctrl-C, everything is stopped
    again. A running stack is restarted only when one of its processes died for good and no run is measuring.
    """
    with only_one(paths):
        if supervisor_of(paths.state) is not None:
            _check_number(paths)
            check_running(paths, durability)
            durability = running(paths)
            requestrows.check_running(paths, request_rows)
            request_rows = requestrows.running(paths)
            again = _start_stopped(paths, say)
            broken = [state for state in supervisor.states(paths) or [] if state.broken]
            if not broken or is_measuring(paths):
                wait_ready(paths, None, _silent)
                for name in again:
                    started_again(name)
                return False
            for state in broken:
                say(f"{state.name} had {state.word}; the stack restarts")
            for line in _stop(paths, say):
                say(line)
        if stack_processes(paths.state):
            say("an earlier stack lost its supervisor")
            for line in _stop(paths, say):
                say(line)
        rows = requestrows.chosen(request_rows)
        preflight.check_all(paths)
        _make_folders(paths)
        try:
            if paths.brokers > 1:
                brokerdrives.attach(paths, say)
            paths.brokers_file.write_text(f"{paths.brokers}\n", encoding="ascii")
            paths.durability_file.write_text(f"{durability or NONE}\n", encoding="ascii")
            paths.request_rows_file.write_text(f"{requestrows.word(rows)}\n", encoding="ascii")
            started = supervisor.start(paths, _cluster_id(paths))
            wait_ready(paths, started, say)
        except BaseException:
            _stop(paths, _silent)
            raise
    return True


def down(paths: StackPaths, say: Say = _silent) -> list[str]:
    """Stop every process of the stack; one line of text for each that had to be killed.

    Ctrl-C ends the waiting: processes that still run are killed at once.
    """
    with only_one(paths):
        return _stop(paths, say)


def reset(paths: StackPaths, say: Say = _silent) -> list[str]:
    """Stop the stack and delete its data: stored runs, metrics, logs, secrets.

    Deletes only folders that a stack creates; other files in the state folder stay.
    """
    with only_one(paths):
        lines = _stop(paths, say)
        for part in (paths.data, paths.runs, paths.logs, *(paths.state / name for name in _OTHERS)):
            shutil.rmtree(part, ignore_errors=not part.exists())
    shutil.rmtree(paths.run, ignore_errors=True)
    with contextlib.suppress(OSError):
        paths.state.rmdir()
    return lines


def is_up(paths: StackPaths) -> bool:
    """True when every process is running and healthy and every broker answers, but for brokers that the user stopped.

    ``TAILRACE_STACK_IS_ELSEWHERE=1`` states that another program supervises it: containers, a cluster.
    """
    if os.environ.get(ELSEWHERE) == "1":
        return True
    states = supervisor.states(paths)
    if not states or not all(state.ready or state.stopped for state in states):
        return False
    stopped = {state.name for state in states if state.stopped}
    running = [broker for broker in paths.broker_ids if paths.broker_process(broker) not in stopped]
    return bool(running) and all(broker_answers(paths.broker_port(broker)) for broker in running)


def ended_parts(paths: StackPaths) -> list[str]:
    """Name and condition of each process that died for good, as in "kafka died, exit -1"."""
    return [f"{state.name} {state.word}" for state in supervisor.states(paths) or [] if state.broken]


def brokers_word(number: int) -> str:
    return "1 broker" if number == 1 else f"{number} brokers"


def _check_number(paths: StackPaths) -> None:
    running = running_brokers(paths.state)
    if running != paths.brokers:
        raise BadInput(f"the stack is up with {brokers_word(running)}, not {paths.brokers}; first: tailrace down")


def _start_stopped(paths: StackPaths, say: Say) -> list[str]:
    """The names of the processes that start."""
    found = []
    for state in supervisor.states(paths) or []:
        if supervisor.resume(state):
            say(f"{state.name} was paused; it goes on")
        elif state.stopped:
            say(f"{state.name} was stopped; it starts again")
            supervisor.stopped_mark(paths, state.name).unlink()
            supervisor.start_process(paths, state.name)
            found.append(state.name)
    return found


def _stop(paths: StackPaths, say: Say) -> list[str]:
    running = stack_processes(paths.state)
    try:
        if running:
            say(f"stopping {len(running)} processes")
        # Load generators are no children of the supervisor; they stop first, so that they can still ship their blocks.
        # Then the supervisor stops its own children in order. Without a supervisor all are terminated at once.
        head = supervisor_of(paths.state)
        own = _family(head) if head else set()
        _terminate([process for process in running if process not in own])
        _terminate([process for process in running if process in own], head)
    finally:
        killed = []
        # Repeat: a supervisor that is ending may still have started a child.
        while left := stack_processes(paths.state):
            killed += kill(left)
        supervisor.clear_socket(paths)
        _remove_broker_cgroups(paths)
        killed += brokerdrives.detach(paths)
        for mark in (paths.brokers_file, paths.durability_file, paths.request_rows_file, *paths.run.glob("*.stopped")):
            mark.unlink(missing_ok=True)
    return killed


def _remove_broker_cgroups(paths: StackPaths) -> None:
    """Remove the control groups that stack/kafka/cgroup.sh created; their brokers have ended."""
    for file in paths.run.glob("broker*/cgroup"):
        with contextlib.suppress(OSError):
            Path(file.read_text(encoding="utf-8").strip()).rmdir()
        file.unlink(missing_ok=True)


def _family(head: psutil.Process) -> set[psutil.Process]:
    try:
        return {head, *head.children(recursive=True)}
    except psutil.NoSuchProcess:
        return {head}


def _terminate(processes: list[psutil.Process], head: psutil.Process | None = None) -> None:
    """Send SIGTERM to ``head``, or without it to all of them, and wait for all."""
    for process in [head] if head else processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    psutil.wait_procs(processes, timeout=_STOP_TIMEOUT_S)


def _make_folders(paths: StackPaths) -> None:
    for folder in (paths.state, paths.logs, paths.data, paths.run, paths.runs):
        folder.mkdir(parents=True, exist_ok=True)
    # Every process that can open the supervisor's socket controls the stack.
    paths.run.chmod(0o700)
    (paths.run / "textfile").mkdir(exist_ok=True)
    for part in (paths.broker_data, paths.data / "warehouse", paths.data / "victoriametrics"):
        part.mkdir(exist_ok=True)
    supervisor.clear_socket(paths)
    ensure_secrets(paths.secrets_file)


def _cluster_id(paths: StackPaths) -> str:
    """Kafka cluster id, generated once for a broker's data: 16 bytes in base64 that do not start with a dash."""
    file = paths.data / f"{paths.broker_data.name}.cluster-id"
    if not file.exists():
        raw = b"T" + secrets.token_bytes(15)
        file.write_text(base64.urlsafe_b64encode(raw).decode().rstrip("="), encoding="ascii")
    return file.read_text(encoding="ascii")


@contextlib.contextmanager
def only_one(paths: StackPaths, others: bool = False) -> Iterator[None]:
    """Refuses a second command that starts or stops the same stack at the same time.

    ``others``: it starts or stops one broker only, so others that do the same may run beside it.
    """
    paths.run.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (paths.run / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, (fcntl.LOCK_SH if others else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError as err:
            raise BadInput(
                f"{paths.state}: another tailrace command is starting or stopping this stack; wait for it to end"
            ) from err
        yield
