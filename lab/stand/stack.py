# SPDX-License-Identifier: Apache-2.0
"""The whole stack of one machine, in a separate state folder and on free ports."""

import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import psutil

from lab.stand.errors import StandError
from lab.stand.part import Part
from lab.stand.ports import write_ports_file
from tailrace.api import MORE_PORT_NAMES, PORT_NAMES, Endpoints, StackPaths, TailraceError, down, stack_processes, up


class StackStand(Part):
    """One stack of 1 or 3 brokers below ``folder``; programs and the ``tailrace`` command find it by ``variables``."""

    def __init__(self, folder: Path, brokers: int = 1) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        names = PORT_NAMES if brokers == 1 else PORT_NAMES + MORE_PORT_NAMES
        ports = write_ports_file(folder / "ports.env", names)
        self.variables: Mapping[str, str] = {"TAILRACE_STATE": str(folder / "state"), "TAILRACE_PORTS": str(ports)}
        self.paths = replace(StackPaths.load(self.variables), brokers=brokers)

    @property
    def endpoints(self) -> Endpoints:
        return Endpoints.load(self.paths, self.variables)

    def start(self) -> None:
        try:
            up(self.paths)
        except TailraceError as err:
            raise StandError(str(err), self.paths.logs) from err

    def stop(self) -> None:
        down(self.paths)

    def delete_data(self) -> None:
        """Delete what its programs stored; their logs stay."""
        shutil.rmtree(self.paths.data, ignore_errors=True)

    def processes(self) -> list[psutil.Process]:
        return stack_processes(self.paths.state)

    def process(self, name: str) -> psutil.Process | None:
        """The process of that program; None when it does not run."""
        for found in self.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                if name in found.name() or (found.name() == "java" and any(name in word for word in found.cmdline())):
                    return found
        return None
