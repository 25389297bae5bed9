# SPDX-License-Identifier: Apache-2.0
"""Amounts as experiment.yaml has them."""

import re

from lab.stand.errors import StandError

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(s|[kMG]?B)?")
_UNITS = {"": 1, "s": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def amount(text: object) -> float:
    """The number of ``200MB``, ``120s`` or ``3000``. Raises StandError for another form."""
    match = _AMOUNT.fullmatch(str(text))
    if match is None:
        raise StandError(f"experiment.yaml: '{text}' is not an amount; write 200MB, 120s or a number")
    return float(match[1]) * _UNITS[match[2] or ""]
