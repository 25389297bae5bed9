# SPDX-License-Identifier: Apache-2.0
"""What can stop the lab, and what can stop one fault of it."""


class LabError(Exception):
    """The lab cannot go on; the text says why and what to look at."""


class Lacking(Exception):
    """This machine cannot do it; the text names what is lacking. The fault is skipped and counted."""


class Refused(Exception):
    """Not now: the text says what was not quiet. The injection is left out and counted."""
