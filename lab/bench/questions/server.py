# SPDX-License-Identifier: Apache-2.0
"""The warehouse under measurement, alone on a free port."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from clickhouse_connect.driver.client import Client

from lab.bench.pipeline import programs
from tailrace import warehouse
from tailrace.stack.api import Endpoints

ROOT = Path(__file__).resolve().parents[3]
HOME = ROOT / ".tailrace"


@dataclass(frozen=True)
class Server:
    """A running warehouse and a client of it; ``began`` is the ``perf_counter`` at which it was started;
    ``variables``: where ``tailrace`` finds it."""

    program: programs.Program
    client: Client
    began: float
    variables: Mapping[str, str]

    @property
    def pid(self) -> int:
        return self.program.process.pid


@contextmanager
def serve(folder: Path, migrated: bool = False) -> Iterator[Server]:
    """A warehouse with its data in ``folder``, migrated unless it is; stopped at the end, its data stays."""
    logs = HOME / "logs-bench"
    logs.mkdir(parents=True, exist_ok=True)
    user, password = "bench", secrets.token_hex(16)
    env = os.environ | {"WAREHOUSE_USER": user, "WAREHOUSE_PASSWORD": password}
    address = f"127.0.0.1:{programs.free_port()}"
    url = f"http://{address}"
    migrate = HOME / "bin" / "tailrace-migrate"
    command: list[str | Path] = [HOME / "bin" / "tailrace-warehouse", f"--listen={address}", f"--data={folder}"]
    command.append(f"--lib={HOME}/lib/libchdb.so")
    began = time.perf_counter()
    program = programs.start("bench-queries-warehouse", command, env, logs)
    try:
        programs.wait_ready(program, f"{url}/ping")
        if not migrated:
            subprocess.run([migrate, "--url", url, "up"], env=env, check=True, stdout=subprocess.DEVNULL)
        client = warehouse.connect(Endpoints(url, user, password, "", "", ""))
        names = ("URL", "USER", "PASSWORD")
        variables = {f"TAILRACE_WAREHOUSE_{n}": value for n, value in zip(names, (url, user, password), strict=True)}
        yield Server(program, client, began, variables)
    finally:
        program.stop()
