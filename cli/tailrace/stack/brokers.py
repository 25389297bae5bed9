# SPDX-License-Identifier: Apache-2.0
"""Stop, start and kill one broker of a running stack; what runs beside it goes on.

A broker that was stopped so is marked: neither `tailrace status` nor a run takes it for one that died.
"""

import contextlib
import re
import time
import urllib.request
from collections.abc import Callable

import psutil

from tailrace.errors import BadInput, Failed
from tailrace.stack import supervisor
from tailrace.stack.lifecycle import brokers_word, only_one
from tailrace.stack.paths import StackPaths
from tailrace.stack.readiness import wait_ready
from tailrace.stack.supervisor import ProcessState

# Longer than the supervisor gives a broker to stop.
_END_S = 40.0
_POLL_S = 0.05


def state_of(paths: StackPaths, broker: int) -> ProcessState:
    """Raises BadInput when the stack is down or has no such broker."""
    states = supervisor.states(paths)
    if not states:
        raise BadInput("the stack is down; start it with: tailrace up")
    if broker not in paths.broker_ids:
        raise BadInput(f"the stack has {brokers_word(paths.brokers)}, no broker {broker}; see tailrace broker status")
    return next(state for state in states if state.name == paths.broker_process(broker))


def stop(paths: StackPaths, broker: int) -> bool:
    """In order: its partitions get other leaders first. Returns whether it ran."""
    with only_one(paths, others=True):
        return _stop(paths, broker)


def kill(paths: StackPaths, broker: int) -> bool:
    """SIGKILL, as in a crash. Returns whether it ran."""
    with only_one(paths, others=True):
        state = state_of(paths, broker)
        if state.pid:
            supervisor.stopped_mark(paths, state.name).touch()
            with contextlib.suppress(psutil.NoSuchProcess):
                psutil.Process(state.pid).kill()
        _wait_until_ended(paths, broker)
        return bool(state.pid)


def start(paths: StackPaths, broker: int, enough: Callable[[], bool] = lambda: False) -> bool:
    """Start it, or let it go on if it is paused. Returns once it answers, or once ``enough`` is true: whether it did
    not work before."""
    with only_one(paths, others=True):
        return _start(paths, broker, enough)


def restart(paths: StackPaths, broker: int) -> bool:
    """Stop in order, and start."""
    with only_one(paths, others=True):
        _stop(paths, broker)
        return _start(paths, broker)


def leaders(paths: StackPaths, broker: int) -> int | None:
    """How many partitions it leads, by its metrics page; None when that does not answer."""
    url = f"http://127.0.0.1:{paths.broker_port(broker, 'JMX_PORT')}/metrics"
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            found = re.search(r"^kafka_broker_leaders(?:{.*})? ([\d.]+)", answer.read().decode(), re.MULTILINE)
    except OSError:
        return None
    return int(float(found[1])) if found else None


def has_cgroup(paths: StackPaths, broker: int) -> bool:
    """Whether its pressure is measured apart from that of other processes (stack/kafka/cgroup.sh)."""
    return (paths.run / ("broker" if paths.brokers == 1 else f"broker-{broker}") / "cgroup").exists()


def _stop(paths: StackPaths, broker: int) -> bool:
    state = state_of(paths, broker)
    if state.pid:
        mark = supervisor.stopped_mark(paths, state.name)
        mark.touch()
        try:
            supervisor.stop_process(paths, state.name)
        except Failed:
            mark.unlink()
            raise
    _wait_until_ended(paths, broker)
    return bool(state.pid)


def _start(paths: StackPaths, broker: int, enough: Callable[[], bool] = lambda: False) -> bool:
    state = state_of(paths, broker)
    supervisor.stopped_mark(paths, state.name).unlink(missing_ok=True)
    if not state.pid:
        supervisor.start_process(paths, state.name)
    supervisor.resume(state)
    wait_ready(paths, None, lambda _line: None, only=state.name, enough=enough)
    return not state.pid or state.paused


def _wait_until_ended(paths: StackPaths, broker: int) -> None:
    deadline = time.monotonic() + _END_S
    while state_of(paths, broker).pid:
        if time.monotonic() > deadline:
            raise Failed(f"broker {broker} did not end within {_END_S:.0f} s; see {paths.logs}/supervisor.log")
        time.sleep(_POLL_S)
