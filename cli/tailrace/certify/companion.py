# SPDX-License-Identifier: Apache-2.0
"""Runs a claim's companion beside its load: a subcommand of the load generator.

It prints a line that begins with ``ready`` once the load may start, and ends in order on SIGTERM.
"""

import contextlib
import os
import queue
import subprocess
import threading
from collections.abc import Iterator

from tailrace.certify.claims import Claim
from tailrace.errors import Failed
from tailrace.runs import loadgen
from tailrace.runs.prepared import Prepared
from tailrace.stack.api import MARK

READY = "ready"
_PATIENCE_S = 60.0


@contextlib.contextmanager
def beside(claim: Claim, run: Prepared) -> Iterator[None]:
    """The companion, ready; it has ended when the block is left. Raises Failed if it does not work."""
    if not claim.companion:
        yield
        return
    command = [*loadgen.command(run.paths), claim.companion, *run.inputs.arguments(run.paths)]
    command += ["--run-id", run.run_id]
    folder = run.paths.runs / run.run_id
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{claim.companion}.log"
    with (
        log.open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | {MARK: str(run.paths.state)},
        ) as process,
    ):
        try:
            _wait_ready(claim, process, str(log))
            yield
            process.terminate()
            if process.wait(_PATIENCE_S):
                raise Failed(f"the companion {claim.companion} ended with exit code {process.returncode}: see {log}")
        except subprocess.TimeoutExpired as err:
            raise Failed(f"the companion {claim.companion} did not end within {_PATIENCE_S:.0f} s: see {log}") from err
        finally:
            process.kill()


def _wait_ready(claim: Claim, process: "subprocess.Popen[str]", log: str) -> None:
    lines: queue.Queue[bool] = queue.Queue()

    def read() -> None:
        # To its end: the companion may not wait for a full pipe.
        for line in process.stdout or ():
            if line.startswith(READY):
                lines.put(True)
        lines.put(False)

    threading.Thread(target=read, daemon=True).start()
    try:
        ready = lines.get(timeout=_PATIENCE_S)
    except queue.Empty:
        ready = False
    if not ready:
        raise Failed(f"the companion {claim.companion} did not become ready: see {log}")
