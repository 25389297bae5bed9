# SPDX-License-Identifier: Apache-2.0
"""Compares two verdicts of one run."""

import json
import re
from typing import Any

from tailrace.audit.verdict import Verdict


def same_verdict(verdict: Verdict, stored: str) -> bool:
    """Whether the audit found the same as ``stored``, the JSON of an exported run; empty if that was never audited.

    Compares all numbers. The sentences for people may be worded differently by another version of this program.
    """
    return not stored or _numbers(verdict.to_json()) == _numbers(stored)


def _numbers(text: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(text)
    failures = [{key: value for key, value in each.items() if key != "text"} for each in tree["failures"]]
    return {**tree, "failures": failures, "notes": [re.findall(r"\d+", note) for note in tree["notes"]]}
