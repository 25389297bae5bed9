# SPDX-License-Identifier: Apache-2.0
"""What the rest of the command may use of the stack.

``StackPaths.load()`` finds the stack that ``TAILRACE_STATE`` and ``TAILRACE_PORTS`` name.

* ``up(paths, say)``   start and wait until healthy; ``False`` when it already was up.
  Raises BadInput (exit 2: set-up not done, port busy, disk full) or Failed (exit 1: a part died).
* ``down(paths, say)`` stop everything; returns the stragglers it had to kill, as text lines.
* ``is_up(paths)``     true when every process of the stack is running and healthy.
* ``is_elsewhere()``   true when the environment names another host's parts: none is needed here.
* ``declared_brokers()``   as ``broker_facts``, of brokers elsewhere: the file of TAILRACE_BROKERS.
* ``Endpoints.load(paths)``    where to reach the parts; see its docstring for overrides.
* ``broker_facts(paths)``      one dict per broker: id, host, log_dirs, log_device.
* ``is_stack_broker(paths, servers)``     true when the bootstrap servers are the stack's own.
* ``partition_bytes(paths, topic_config)``  the most that a partition of its broker keeps.
* ``free_bytes(paths)``        what is free on the state folder's drive; ``MIN_FREE_BYTES`` must be.
* ``one_run(paths, run_id)``    holds the stack for one measurement; refuses a second one.
* ``ended_parts(paths)``       what of the stack has died, each with its condition.
* ``MARK``             the variable that makes a process part of the stack: ``down`` stops it.

``say`` takes one progress line; the default prints nothing.
"""

from tailrace.stack.broker import (
    BrokerFacts,
    broker_facts,
    declared_brokers,
    is_stack_broker,
    partition_bytes,
)
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
