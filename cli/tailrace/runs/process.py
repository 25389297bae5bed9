# SPDX-License-Identifier: Apache-2.0
"""A running load generator: its output, and how Ctrl-C reaches it."""

import ctypes
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import IO, Any

INTERRUPTED = 130
# How the line begins that is shown when the first signal came.
STOPPING = "stopping: "
STDERR_LINES = 20
_PR_SET_PDEATHSIG = 1
# Looked up here, because between fork and exec nothing may be loaded.
_prctl = ctypes.CDLL(None).prctl
_prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


class LoadGenerator:
    """One load generator process, run to its end in the foreground.

    It lives in a session of its own, so a terminal's Ctrl-C reaches this command alone. The first
    SIGINT or SIGTERM here is passed on once, as SIGINT: the load generator then flushes, ships and
    deletes its topics. The second one kills it. When this command is killed itself, the kernel
    sends the load generator a SIGTERM. Call ``run``, or ``run_all``, in the main thread.
    """

    def __init__(
        self, command: Sequence[str], log: Path, say: Callable[[str], None], env: Mapping[str, str] | None = None
    ) -> None:
        self._command = command
        self._env = env
        self._log = log
        self._say = say
        self._signals = 0
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self.stderr_tail: deque[str] = deque(maxlen=STDERR_LINES)

    @property
    def interrupted(self) -> bool:
        return self._signals > 0

    def run(self) -> int:
        """Returns the exit code, 130 when it was interrupted. Its stdout goes to ``say``."""
        return run_all([self])[0]

    def follow(self) -> int:
        """As ``run``, for a caller that passes on the signals: see ``signalled``."""
        with self._log.open("w", encoding="utf-8") as log:
            return self._follow(log)

    def _follow(self, log: IO[str]) -> int:
        with subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=self._env,
            preexec_fn=_end_with(os.getpid()),
        ) as process:
            self._process = process
            try:
                if self._signals:  # one came while the process was being made
                    process.send_signal(signal.SIGINT)
                errors = threading.Thread(target=self._drain, args=(process.stderr, log))
                errors.start()
                for line in process.stdout or ():
                    self._write(log, line)
                    self._say(line.rstrip("\n"))
                errors.join()
                code = process.wait()
            except BaseException:
                process.kill()
                raise
        return INTERRUPTED if self.interrupted else code

    def _drain(self, stream: IO[str] | None, log: IO[str]) -> None:
        for line in stream or ():
            self._write(log, line)
            self.stderr_tail.append(line.rstrip("\n"))

    def _write(self, log: IO[str], line: str) -> None:
        with self._lock:
            log.write(line)
            log.flush()

    def signalled(self) -> None:
        """A signal came for this command: the first one stops the process, the second kills it."""
        self._signals += 1
        process = self._process
        if process is None or process.poll() is not None:
            return
        if self._signals == 1:
            self._say(f"{STOPPING}the load generator ships what it has; Ctrl-C again kills it")
            process.send_signal(signal.SIGINT)
        else:
            process.kill()


def run_all(generators: Sequence[LoadGenerator]) -> list[int]:
    """Run them side by side to their ends; their exit codes, as of ``LoadGenerator.run``."""

    def on_signal(_number: int, _frame: FrameType | None) -> Any:
        for generator in generators:
            generator.signalled()

    # Handlers come first: a signal that is handled here is back to normal in the child, even
    # where this command itself was started with SIGINT ignored.
    previous = {s: signal.signal(s, on_signal) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        # A thread lives as long as its process: the kernel ties the two by the thread.
        with ThreadPoolExecutor(len(generators)) as threads:
            return [done.result() for done in [threads.submit(g.follow) for g in generators]]
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _end_with(parent: int) -> Callable[[], None]:
    """What makes a child end when the process ``parent`` does, whatever ended that."""

    def prepare() -> None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the call above
            os._exit(INTERRUPTED)

    return prepare
