# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
# mypy: implicit-reexport
"""What other packages may use of this one: everything imported here.

``StackPaths.load()`` finds the stack that ``TAILRACE_STATE`` and ``TAILRACE_PORTS`` name; the functions
take it as ``paths``. ``say`` receives one progress line; by default it is discarded.
"""

from tailrace.stack.broker import BrokerFacts, broker_facts, declared_brokers, is_stack_broker, partition_bytes
from tailrace.stack.brokers_option import brokers_option, with_brokers
from tailrace.stack.endpoints import Endpoints, is_elsewhere
from tailrace.stack.lifecycle import down, ended_parts, is_up, up
from tailrace.stack.onerun import is_measuring, one_run
from tailrace.stack.paths import SET_UP, StackPaths
from tailrace.stack.preflight import MIN_FREE_BYTES, free_bytes
from tailrace.stack.processes import MARK
from tailrace.stack.requestrows import running as request_rows
