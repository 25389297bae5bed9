# SPDX-License-Identifier: Apache-2.0
"""What every part of the line has: one start and one stop."""

from types import TracebackType
from typing import Self


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
