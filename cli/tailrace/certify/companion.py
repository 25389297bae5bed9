# SPDX-License-Identifier: Apache-2.0
"""Runs a claim's companion beside its load: a subcommand of the load generator.

It prints a line that begins with ``ready`` once the load may start, and ends in order on SIGTERM.
"""

import contextlib
import os
import queue
import re
import subprocess
import threading
from collections.abc import Iterator, Sequence

from tailrace.certify.claims import Claim
from tailrace.errors import Failed
from tailrace.runs import loadgen
from tailrace.runs.prepared import Prepared
from tailrace.stack.api import MARK

READY = "ready"
_PATIENCE_S = 60.0


@contextlib.contextmanager
def beside(claim: Claim, run: Prepared) -> Iterator[list[str]]:
    """The companion, ready; it has ended when the block is left. Raises Failed if it does not work.

    Yields its lines, which are complete after the block.
    """
    lines: list[str] = []
    if not claim.companion:
        yield lines
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
            reader = _wait_ready(claim, process, str(log), lines)
            yield lines
            process.terminate()
            code = process.wait(_PATIENCE_S)
            reader.join(_PATIENCE_S)
            if code:
                raise Failed(f"the companion {claim.companion} ended with exit code {code}: see {log}")
        except subprocess.TimeoutExpired as err:
            raise Failed(f"the companion {claim.companion} did not end within {_PATIENCE_S:.0f} s: see {log}") from err
        finally:
            process.kill()


def replacements(lines: Sequence[str]) -> int:
    """How many of its instances were replaced in a transaction, fenced or not, by its last line."""
    counted = re.findall(r"\b(?:fenced|zombie_commits)=(\d+)", lines[-1] if lines else "")
    return sum(int(count) for count in counted)


def _wait_ready(claim: Claim, process: "subprocess.Popen[str]", log: str, lines: list[str]) -> threading.Thread:
    """Returns what reads the companion's lines, to their end: it may not wait for a full pipe."""
    heard: queue.Queue[bool] = queue.Queue()

    def read() -> None:
        for line in process.stdout or ():
            lines.append(line)
            if line.startswith(READY):
                heard.put(True)
        heard.put(False)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        ready = heard.get(timeout=_PATIENCE_S)
    except queue.Empty:
        ready = False
    if not ready:
        raise Failed(f"the companion {claim.companion} did not become ready: see {log}")
    return reader
