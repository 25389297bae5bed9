# SPDX-License-Identifier: Apache-2.0
"""What the rest of the command may use of the stack.

``StackPaths.load()`` finds the stack that ``TAILRACE_STATE`` and ``TAILRACE_PORTS`` name.

* ``up(paths, say)``   start and wait until healthy; ``False`` when it already was up.
  Raises BadInput (exit 2: set-up not done, port busy, disk full) or Failed (exit 1: a part died).
* ``down(paths, say)`` stop everything; returns the stragglers it had to kill, as text lines.
* ``is_up(paths)``     true when every process of the stack is running and healthy.
* ``Endpoints.load(paths)``    where to reach the parts; see its docstring for overrides.
* ``broker_facts(paths)``      one dict per broker: id, host, log_dirs, log_device.

``say`` takes one progress line; the default prints nothing.
"""

from tailrace.stack.broker import BrokerFacts, broker_facts
from tailrace.stack.endpoints import Endpoints
from tailrace.stack.lifecycle import down, is_up, up
from tailrace.stack.paths import StackPaths

__all__ = ["BrokerFacts", "Endpoints", "StackPaths", "broker_facts", "down", "is_up", "up"]
