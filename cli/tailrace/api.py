# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
# mypy: implicit-reexport
"""What other rooms may use of the command. The lab, the dashboards and every test outside ``cli/`` import this module
and no other one; ``build/checks/imports.py`` holds them to it. ``tailrace.stack.api`` describes the stack's part.
"""

from tailrace.audit.command import audit_run
from tailrace.certify.checks import Check, Finding
from tailrace.certify.checks import check as check_claim
from tailrace.certify.claims import Claim, all_claims
from tailrace.contracts import KEPT_METRICS, LEFT_OUT_METRICS
from tailrace.errors import BadInput, Failed, TailraceError
from tailrace.experiments.experiment import FULL, SMALL, Experiment, chosen, experiments, published
from tailrace.experiments.needs import STACK_BYTES
from tailrace.main import cli
from tailrace.metrics import catalogue as metrics_catalogue
from tailrace.metrics.alerts import SELECTOR as ALERT_SELECTOR
from tailrace.metrics.alerts import Alert, copy_alerts, firings
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.queries import catalogue, header
from tailrace.queries.ask import Row as ReportRow
from tailrace.queries.catalogue import quote
from tailrace.queries.render import cell
from tailrace.report.data import read as read_report
from tailrace.runs import loadgen
from tailrace.runs.loadgen import java
from tailrace.stack.api import Endpoints, StackPaths, down, is_up, up
from tailrace.stack.broker import broker_answers
from tailrace.stack.paths import MORE_PORT_NAMES, PORT_NAMES, REPO_ROOT
from tailrace.stack.portowner import is_free
from tailrace.stack.processes import stack_processes
from tailrace.stack.secrets import ensure_secrets
from tailrace.stack.supervisor import states
from tailrace.warehouse import connect, first_line
