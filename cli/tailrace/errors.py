# SPDX-License-Identifier: Apache-2.0
"""Errors that end the command with one line on stderr, and their exit codes.

They do not depend on click: `make doctor` runs before any package is installed.
"""

from tailrace.contracts import EXIT_BAD_INPUT, EXIT_FAILED


class TailraceError(Exception):
    """Base of the two errors below; raise one of those, ``tailrace.main`` prints it."""

    exit_code = EXIT_FAILED


class BadInput(TailraceError):
    """The user must correct an input, or install what is missing, first. Exit code 2.

    The message states in one line what is wrong, where, and the remedy.
    """

    exit_code = EXIT_BAD_INPUT


class Failed(TailraceError):
    """The work started and failed. Exit code 1."""

    exit_code = EXIT_FAILED
