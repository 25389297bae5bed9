# SPDX-License-Identifier: Apache-2.0
"""Whether two audits of one run say the same."""

import json

from tailrace.audit.verdict import Verdict


def same_verdict(verdict: Verdict, stored: str) -> bool:
    """``stored`` is the JSON that a run carries, empty for one that was never audited."""
    return not stored or json.loads(verdict.to_json()) == json.loads(stored)
