# SPDX-License-Identifier: Apache-2.0
"""'Did you mean' for names that do not exist."""

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names closest to ``name``: first those that contain it, then the most similar."""
    names = list(known)
    inside = [each for each in names if name and name in each]
    close = difflib.get_close_matches(name, names, n=count, cutoff=0.4)
    return list(dict.fromkeys([*inside, *close]))[:count]
