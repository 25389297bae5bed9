# SPDX-License-Identifier: Apache-2.0
"""What can stop one of the lab's faults; StandError ends the lab."""


class Unsupported(Exception):
    """This machine cannot do it; the text names what is missing. The fault is skipped and counted."""


class Refused(Exception):
    """Not now: the text states what was not quiet. The injection is left out and counted."""
