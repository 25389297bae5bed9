# SPDX-License-Identifier: Apache-2.0
"""Errors that end the command with one line on stderr, and their exit codes.

They do not depend on click: `make doctor` runs before any package is installed.
"""


class TailraceError(Exception):
    """Base of the two errors below; raise one of those, ``tailrace.main`` prints it."""

    exit_code = 1


class BadInput(TailraceError):
    """The user must correct an input, or install what is missing, first. Exit code 2.

    The message states in one line what is wrong, where, and the remedy.
    """

    exit_code = 2


class Failed(TailraceError):
    """The work started and failed. Exit code 1."""

    exit_code = 1
