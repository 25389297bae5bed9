# SPDX-License-Identifier: Apache-2.0
"""Errors that end the command with one clear line on stderr, and their exit codes.

Plain exceptions, free of click: `make doctor` runs before anything is installed.
"""


class TailraceError(Exception):
    """Base of the two below; raise one of them, ``tailrace.main`` prints it."""

    exit_code = 1


class BadInput(TailraceError):
    """What the user gave, or the machine lacks, must be put right first. Exit code 2.

    The message says what is wrong, where, and the remedy, in one line.
    """

    exit_code = 2


class Failed(TailraceError):
    """The work was started and did not succeed. Exit code 1."""

    exit_code = 1
