# SPDX-License-Identifier: Apache-2.0
"""Waits until a started stack is healthy, or names the process that is not, with the reason."""

import re
import subprocess
import time
from collections.abc import Callable

from tailrace.errors import Failed
from tailrace.stack import supervisor
from tailrace.stack.broker import broker_answers
from tailrace.stack.paths import SET_UP, StackPaths
from tailrace.stack.supervisor import ProcessState

TIMEOUT_S = 120.0
# Three JVMs that start together on two cores take three times as long as one.
CLUSTER_TIMEOUT_S = 300.0
_POLL_S = 0.1
_TAIL_LINES = 15
_TAIL_CHARS = 4096
# How a program of the stack, written in Go, answers a flag of newer sources.
_UNKNOWN_FLAG = re.compile(r"flag provided but not defined: (\S+)")


def wait_ready(
    paths: StackPaths,
    started: "subprocess.Popen[bytes] | None",
    say: Callable[[str], None],
    only: str = "",
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Return when all processes are ready; ``say`` gets one line as each becomes ready. Brokers that the user stopped
    are not waited for. ``only``: one process to wait for instead of all. Once ``enough`` is true nothing is waited for.

    Raises Failed with the process's name and the end of its log when one fails or time is up.
    """
    begin = time.monotonic()
    timeout_s = TIMEOUT_S if paths.brokers == 1 else CLUSTER_TIMEOUT_S
    ready: set[str] = set()
    while True:
        states = [state for state in supervisor.states(paths) or [] if only in ("", state.name)]
        if only and any(state.stopped for state in states):
            raise Failed(f"{only} was stopped again before it was ready")
        states = [state for state in states if not state.stopped]
        for state in states:
            if state.broken:
                raise Failed(_older(paths, state.name) or f"{_reason(state)}\n{_log_tail(paths, state.name)}")
            if state.name not in ready and _is_ready(paths, state):
                ready.add(state.name)
                say(f"{state.name} ready after {time.monotonic() - begin:.1f} s")
        if enough() or (states and len(ready) == len(states)):
            return
        if started is not None and started.poll() is not None:
            raise Failed(
                f"the supervisor ended with exit code {started.returncode}\n"
                f"{_log_tail(paths, 'supervisor', 'supervisor.out')}"
            )
        if time.monotonic() - begin > timeout_s:
            late = ", ".join(state.name for state in states if state.name not in ready)
            first = next((state.name for state in states if state.name not in ready), "supervisor")
            raise Failed(f"{late or 'the supervisor'} not ready after {timeout_s:.0f} s\n{_log_tail(paths, first)}")
        time.sleep(_POLL_S)


def _is_ready(paths: StackPaths, state: ProcessState) -> bool:
    brokers = {paths.broker_process(broker): paths.broker_port(broker) for broker in paths.broker_ids}
    if state.name in brokers and state.ready:
        return broker_answers(brokers[state.name])
    return state.ready


def _older(paths: StackPaths, name: str) -> str:
    """One line for a program that was built before the stack's files changed; empty for any other."""
    file = paths.logs / f"{name}.log"
    try:
        found = _UNKNOWN_FLAG.search(file.read_text(encoding="utf-8", errors="replace")[-_TAIL_CHARS:])
    except OSError:
        return ""
    return f"{name} is older than the stack's files: it does not know the flag {found[1]}; {SET_UP}" if found else ""


def _reason(state: ProcessState) -> str:
    if state.status == "Skipped":
        return f"{state.name} was not started, because a process it needs failed"
    if state.restarts:
        return f"{state.name} keeps failing: {state.restarts} restarts, exit code {state.exit_code}"
    return f"{state.name} ended with exit code {state.exit_code}"


def _log_tail(paths: StackPaths, name: str, file_name: str | None = None) -> str:
    file = paths.logs / (file_name or f"{name}.log")
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as err:
        return f"{file}: {err.strerror}"
    return "\n".join([f"the end of {file}:", *(f"  {line}" for line in lines[-_TAIL_LINES:])])
