# SPDX-License-Identifier: Apache-2.0
"""What every part of the line has: one start and one stop."""

from types import TracebackType
from typing import Self

from lab.stand.program import Program


class Part:
    """``start`` returns once the part answers, ``stop`` once it is gone; a ``with`` block calls both."""

    def start(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        """Nothing happens where it does not run."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class ProgramPart(Part):
    """A part that is one program, None while it does not run, with its HTTP interface at ``port``."""

    program: Program | None = None
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        if self.program:
            self.program.stop()
            self.program = None
