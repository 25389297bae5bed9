# SPDX-License-Identifier: Apache-2.0
"""The cluster under test, asked and changed through its admin protocol."""

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from tailrace.errors import BadInput, Failed
from tailrace.runs import loadgen
from tailrace.stack.api import SET_UP, StackPaths

PROGRAM = "ClusterAdmin.java"
# The feature that states which protocol of transactions the brokers use.
VERSION = "transaction.version"
_ANSWER_S = 120.0
_POLL_S = 0.2
# What the admin client prints first when no broker answered it.
NO_ANSWER = "no answer: "
_CAUSES = ("Caused by: ", 'Exception in thread "main" ')


@dataclass(frozen=True)
class Address:
    """Where one broker listens for clients."""

    broker: int
    host: str
    port: int


@dataclass(frozen=True)
class Cluster:
    """``client``: a file with the properties by which an admin client reaches it. ``ours``: whether its brokers are
    those of the stack."""

    paths: StackPaths
    client: Path
    ours: bool

    def facts(self) -> dict[str, str]:
        """Levels of features, and what a topic gets that does not state it, by name. Raises BadInput when no broker
        answers."""
        return dict(line.split(" ", 1) for line in self._ask("facts"))

    def transaction_version(self, wanted: int | None = None) -> int:
        """The finalized feature transaction.version, after setting it to ``wanted``. Raises Failed."""
        return int(self._ask("version", *([] if wanted is None else [str(wanted)]))[-1])

    def move_leaders(self, topics: Sequence[str], interrupted: Callable[[], bool] = lambda: False) -> int:
        """Move each partition's leader to its next replica; how many moved."""
        return int(self._ask("move", *topics, interrupted=interrupted)[-1])

    def addresses(self) -> list[Address]:
        """Of all brokers that run."""
        rows = [line.split() for line in self._ask("brokers")]
        return sorted((Address(int(n), host, int(port)) for n, host, port in rows), key=lambda found: found.broker)

    def _ask(self, *words: str, interrupted: Callable[[], bool] = lambda: False) -> list[str]:
        libraries = self.paths.loadgen_jar.parent / "lib"
        # Without a logger: the answer is all that it prints.
        needed = [str(found) for name in ("kafka-clients", "slf4j-api") for found in libraries.glob(f"{name}-*.jar")]
        if not needed:
            raise BadInput(f"{libraries} missing; {SET_UP}")
        with as_file(files("tailrace.certify").joinpath(PROGRAM)) as program:
            command = [loadgen.java(), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", ":".join(needed), str(program)]
            code, answer, errors = _answer([*command, str(self.client), *words], interrupted)
        if code == 0:
            return answer.splitlines()
        if answer.startswith(NO_ANSWER):
            raise BadInput(
                f"{answer.removeprefix(NO_ANSWER).strip()}; check that its brokers run, and the address"
                " (--bootstrap-servers, else the driver's bootstrap.servers) and security settings"
            )
        raise Failed(f"the cluster refused '{' '.join(words)}': {_reason(errors, code)}")


def _answer(command: Sequence[str], interrupted: Callable[[], bool]) -> tuple[int, str, str]:
    """Exit code, output and errors of the command."""
    until = time.monotonic() + _ANSWER_S
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            while True:
                try:
                    answer, errors = process.communicate(timeout=_POLL_S)
                    return process.returncode, answer, errors
                except subprocess.TimeoutExpired as err:
                    if interrupted():
                        raise Failed("the certificate was interrupted") from err
                    if time.monotonic() > until:
                        raise Failed(f"the cluster did not answer '{command[-1]}' within {_ANSWER_S:.0f} s") from err
        finally:
            process.kill()


def _reason(stderr: str, code: int) -> str:
    """The line of a Java stack trace that has the reason; the logging library's own lines have none."""
    lines = [line.strip() for line in stderr.splitlines() if line and not line.startswith(("\t", "SLF4J"))]
    causes = [line for line in lines if line.startswith(_CAUSES)]
    found = (causes or lines or [f"its admin client ended with exit code {code} and no message"])[-1]
    for prefix in _CAUSES:
        found = found.removeprefix(prefix)
    return found
