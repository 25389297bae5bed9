# SPDX-License-Identifier: Apache-2.0
"""What stops a benchmark."""

from lab.stand.errors import StandError


class BenchError(StandError):
    """The benchmark cannot go on."""
