# SPDX-License-Identifier: Apache-2.0
"""The ``tailrace`` command, and a run of it in the background."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.stand.errors import StandError
from lab.stand.waiting import until

COMMAND = str(Path(sys.executable).with_name("tailrace"))


class BackgroundRun:
    """``tailrace run`` in a separate session; what it prints is in ``output``."""

    def __init__(self, arguments: Sequence[str | Path], output: Path, env: Mapping[str, str] | None = None) -> None:
        self.output = output
        with output.open("w") as file:
            self.process = subprocess.Popen(
                [COMMAND, "run", *arguments, "--no-report"],
                env=env,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def printed(self) -> str:
        return self.output.read_text(errors="replace")

    def wait_phase(self, name: str, timeout_s: float) -> None:
        """Wait for the first progress line of the phase. Raises StandError when the run ends first."""

        def begun() -> bool:
            if self.process.poll() is not None:
                raise StandError("the run ended before its load began", self.output)
            return re.search(rf"^(\[0\] )?{name} ", self.printed(), re.M) is not None

        until(begun, "the load begins", timeout_s, self.output)

    def wait(self, timeout_s: float) -> int:
        """Its exit code. Raises StandError when it does not end."""
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired as err:
            raise StandError("the run did not end", self.output) from err

    def interrupt(self, patience_s: float) -> bool:
        """As by Ctrl-C, which ships what was recorded; returns whether it has ended by then."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
        return self.process.poll() is not None

    def kill(self) -> None:
        """Kill it and its whole session."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
