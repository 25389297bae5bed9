# SPDX-License-Identifier: Apache-2.0
"""The part of this package that other packages may use.

``StackPaths.load()`` finds the stack that ``TAILRACE_STATE`` and ``TAILRACE_PORTS`` name.

* ``up(paths, say)``: start the stack and wait until it is healthy; ``False`` when it was up already. Raises BadInput
  (exit code 2: not set up, port in use, drive full) or Failed (exit code 1: a process died).
* ``down(paths, say)``: stop everything; returns one text line for each process that it had to kill.
* ``is_up(paths)``: true when every process of the stack is running and healthy.
* ``is_elsewhere()``: true when the environment names every part on other hosts, so that no local stack is needed.
* ``broker_facts(paths)``: one dict per broker of the stack: id, host, log_dirs, log_device.
* ``declared_brokers()``: the same for brokers on other hosts, from the file that TAILRACE_BROKERS names.
* ``Endpoints.load(paths)``: addresses of the parts; its docstring lists the overriding variables.
* ``is_stack_broker(paths, servers)``: true when the bootstrap servers are the stack's own.
* ``partition_bytes(paths, topic_config)``: the most that the stack's broker keeps of one partition.
* ``free_bytes(paths)``: free bytes on the state folder's drive; the stack needs ``MIN_FREE_BYTES``.
* ``one_run(paths, run_id)``: holds the stack for one measurement and refuses a second one.
* ``ended_parts(paths)``: the processes of the stack that died, each with its condition.
* ``MARK``: the variable that marks a process as part of the stack; ``down`` stops such processes.
* ``SET_UP``: the remedy to print when something is missing that set-up builds.

``say`` receives one progress line; by default it is discarded.
"""

from tailrace.stack.broker import BrokerFacts, broker_facts, declared_brokers, is_stack_broker, partition_bytes
from tailrace.stack.endpoints import Endpoints, is_elsewhere
from tailrace.stack.lifecycle import down, ended_parts, is_up, up
from tailrace.stack.onerun import is_measuring, one_run
from tailrace.stack.paths import SET_UP, StackPaths
from tailrace.stack.preflight import MIN_FREE_BYTES, free_bytes
from tailrace.stack.processes import MARK

__all__ = [
    "MARK",
    "MIN_FREE_BYTES",
    "SET_UP",
    "BrokerFacts",
    "Endpoints",
    "StackPaths",
    "broker_facts",
    "declared_brokers",
    "down",
    "ended_parts",
    "free_bytes",
    "is_elsewhere",
    "is_measuring",
    "is_stack_broker",
    "is_up",
    "one_run",
    "partition_bytes",
    "up",
]
