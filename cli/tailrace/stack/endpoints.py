# SPDX-License-Identifier: Apache-2.0
"""The addresses of the parts of the stack."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tailrace.stack.paths import StackPaths
from tailrace.stack.secrets import read_secrets


@dataclass(frozen=True)
class Endpoints:
    """Addresses without a trailing slash; ``bootstrap_servers`` is ``host:port``, separated by commas."""

    warehouse_url: str
    warehouse_user: str
    warehouse_password: str = field(repr=False)
    victoriametrics_url: str
    otlp_url: str
    bootstrap_servers: str
    victoriametrics_user: str = ""
    victoriametrics_password: str = field(default="", repr=False)

    @classmethod
    def load(cls, paths: StackPaths, env: Mapping[str, str] | None = None) -> "Endpoints":
        """The local stack's addresses; each variable that is set replaces one.

        ``TAILRACE_WAREHOUSE_URL``, ``TAILRACE_WAREHOUSE_USER``, ``TAILRACE_WAREHOUSE_PASSWORD``, ``TAILRACE_VM_URL``,
        ``TAILRACE_OTLP_URL``; ``TAILRACE_VM_USER`` and ``TAILRACE_VM_PASSWORD`` when VictoriaMetrics requires them.
        Raises BadInput when user or password is neither in the environment nor in the stack's secrets file.
        """
        env = os.environ if env is None else env
        ports = paths.ports
        user = env.get("TAILRACE_WAREHOUSE_USER")
        password = env.get("TAILRACE_WAREHOUSE_PASSWORD")
        if not user or not password:
            secrets = read_secrets(paths.secrets_file)
            user = user or secrets["WAREHOUSE_USER"]
            password = password or secrets["WAREHOUSE_PASSWORD"]

        def url(variable: str, port: str) -> str:
            return (env.get(variable) or f"http://127.0.0.1:{ports[port]}").rstrip("/")

        return cls(
            warehouse_url=url("TAILRACE_WAREHOUSE_URL", "WAREHOUSE_PORT"),
            warehouse_user=user,
            warehouse_password=password,
            victoriametrics_url=url("TAILRACE_VM_URL", "VICTORIAMETRICS_PORT"),
            otlp_url=url("TAILRACE_OTLP_URL", "COLLECTOR_OTLP_HTTP_PORT"),
            bootstrap_servers=paths.broker_servers(),
            victoriametrics_user=env.get("TAILRACE_VM_USER", ""),
            victoriametrics_password=env.get("TAILRACE_VM_PASSWORD", ""),
        )


_ELSEWHERE = ("TAILRACE_WAREHOUSE_URL", "TAILRACE_VM_URL", "TAILRACE_OTLP_URL")


def is_elsewhere(env: Mapping[str, str] | None = None) -> bool:
    """True when the environment names the URL of every part that a run needs: no local stack is needed."""
    env = os.environ if env is None else env
    return all(env.get(variable) for variable in _ELSEWHERE)
