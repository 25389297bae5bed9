# SPDX-License-Identifier: Apache-2.0
"""What other rooms may use of the command: the lab, the dashboards and every test outside ``cli/`` import only this.

``tailrace.stack.api`` explains the stack's part.
"""

from tailrace.errors import BadInput, Failed, TailraceError
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.queries import catalogue
from tailrace.queries.catalogue import quote
from tailrace.runs import loadgen
from tailrace.runs.loadgen import java
from tailrace.stack.api import Endpoints, StackPaths, down, is_up, up
from tailrace.stack.broker import broker_answers
from tailrace.stack.paths import PORT_NAMES, REPO_ROOT
from tailrace.stack.portowner import is_free
from tailrace.stack.processes import stack_processes
from tailrace.stack.secrets import ensure_secrets
from tailrace.stack.supervisor import states
from tailrace.warehouse import connect, first_line

__all__ = [
    "PORT_NAMES",
    "REPO_ROOT",
    "BadInput",
    "Endpoints",
    "Failed",
    "StackPaths",
    "TailraceError",
    "VictoriaMetrics",
    "broker_answers",
    "catalogue",
    "connect",
    "down",
    "ensure_secrets",
    "first_line",
    "is_free",
    "is_up",
    "java",
    "loadgen",
    "quote",
    "stack_processes",
    "states",
    "up",
]
