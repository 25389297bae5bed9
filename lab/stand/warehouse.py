# SPDX-License-Identifier: Apache-2.0
"""The real warehouse, alone: tables and no broker."""

import os
import secrets
import subprocess
from pathlib import Path

from clickhouse_connect.driver.client import Client

from lab.stand.errors import StandError
from lab.stand.part import ProgramPart
from lab.stand.ports import free_port
from lab.stand.program import Program, built
from tailrace.api import Endpoints, StackPaths, connect

_NOWHERE = "http://127.0.0.1:1"


class Warehouse(ProgramPart):
    """A warehouse with all migrations applied; its log is in ``folder``, its tables in ``data``.

    Address, user, password and tables stay the same when it is started again.
    """

    def __init__(
        self, folder: Path, data: Path | None = None, *, migrate: bool = True, flags: tuple[str, ...] = ()
    ) -> None:
        self.folder = folder
        self.flags = flags
        self.data = data or folder / "data"
        self.migrate = migrate
        self.port = free_port()
        self.endpoints = Endpoints(self.url, "tester", secrets.token_hex(16), _NOWHERE, _NOWHERE, "")
        self._client: Client | None = None

    @property
    def secrets(self) -> dict[str, str]:
        """What the warehouse and the collector read from their environment."""
        found = self.endpoints
        return {"WAREHOUSE_USER": found.warehouse_user, "WAREHOUSE_PASSWORD": found.warehouse_password}

    @property
    def variables(self) -> dict[str, str]:
        """Where the ``tailrace`` command finds it."""
        found = self.endpoints
        return {
            "TAILRACE_WAREHOUSE_URL": found.warehouse_url,
            "TAILRACE_WAREHOUSE_USER": found.warehouse_user,
            "TAILRACE_WAREHOUSE_PASSWORD": found.warehouse_password,
        }

    @property
    def client(self) -> Client:
        """A client of the running warehouse, the same one until it stops."""
        if self._client is None:
            self._client = connect(self.endpoints)
        return self._client

    @property
    def pid(self) -> int:
        if self.program is None:
            raise StandError("the warehouse does not run")
        return self.program.process.pid

    def start(self) -> None:
        paths = StackPaths.load()
        env = os.environ | self.secrets
        command: list[str | Path] = [
            built(paths.bin / "tailrace-warehouse"),
            f"--listen=127.0.0.1:{self.port}",
            f"--data={self.data}",
            f"--lib={built(paths.lib / 'libchdb.so')}",
            *self.flags,
        ]
        self.program = Program.start("warehouse", command, self.folder, env)
        self.program.wait_ready(f"{self.url}/ping")
        if not self.migrate:
            return
        migrate: list[str | Path] = [built(paths.bin / "tailrace-migrate"), "--url", self.url, "up"]
        migrated = subprocess.run(migrate, env=env, check=False, capture_output=True, text=True)
        if migrated.returncode:
            raise StandError(f"tailrace-migrate ended with {migrated.returncode}: {migrated.stderr}", self.program.log)

    def stop(self) -> None:
        super().stop()
        self._client = None
