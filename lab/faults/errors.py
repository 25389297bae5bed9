# SPDX-License-Identifier: Apache-2.0
"""What can stop the lab, and what can stop one of its faults."""

from lab.stand.errors import StandError


class LabError(StandError):
    """The lab cannot go on."""


class Unsupported(Exception):
    """This machine cannot do it; the text names what is missing. The fault is skipped and counted."""


class Refused(Exception):
    """Not now: the text states what was not quiet. The injection is left out and counted."""
