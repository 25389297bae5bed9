# SPDX-License-Identifier: Apache-2.0
"""The cluster under test, asked and changed through its admin protocol."""

import subprocess
from collections.abc import Sequence
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

    def transaction_version(self, wanted: int | None = None) -> int:
        """The finalized feature transaction.version, after setting it to ``wanted``. Raises Failed."""
        return int(self._ask("version", *([] if wanted is None else [str(wanted)]))[-1])

    def move_leaders(self, topics: Sequence[str]) -> int:
        """Move each partition's leader to its next replica; how many moved."""
        return int(self._ask("move", *topics)[-1])

    def addresses(self) -> list[Address]:
        """Of all brokers that run."""
        rows = [line.split() for line in self._ask("brokers")]
        return sorted((Address(int(n), host, int(port)) for n, host, port in rows), key=lambda found: found.broker)

    def _ask(self, *words: str) -> list[str]:
        libraries = self.paths.loadgen_jar.parent / "lib"
        # Without a logger: the answer is all that it prints.
        needed = [str(found) for name in ("kafka-clients", "slf4j-api") for found in libraries.glob(f"{name}-*.jar")]
        if not needed:
            raise BadInput(f"{libraries} missing; {SET_UP}")
        with as_file(files("tailrace.certify").joinpath(PROGRAM)) as program:
            command = [loadgen.java(), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", ":".join(needed), str(program)]
            try:
                done = subprocess.run(
                    [*command, str(self.client), *words], capture_output=True, text=True, check=False, timeout=_ANSWER_S
                )
            except subprocess.TimeoutExpired as err:
                raise Failed(f"the cluster did not answer '{words[0]}' within {_ANSWER_S:.0f} s") from err
        if done.returncode:
            raise Failed(f"the cluster refused '{' '.join(words)}': {_reason(done.stderr, done.returncode)}")
        return done.stdout.splitlines()


def _reason(stderr: str, code: int) -> str:
    """The line of a Java stack trace that has the reason; the logging library's own lines have none."""
    lines = [line.strip() for line in stderr.splitlines() if line and not line.startswith(("\t", "SLF4J"))]
    causes = [line for line in lines if line.startswith(_CAUSES)]
    found = (causes or lines or [f"its admin client ended with exit code {code} and no message"])[-1]
    for prefix in _CAUSES:
        found = found.removeprefix(prefix)
    return found
