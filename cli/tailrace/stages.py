# SPDX-License-Identifier: Apache-2.0
"""The stages of a message's latency: the names in tables and queries, and their labels."""

from tailrace.contracts import STAGES

LABELS = {stage: title[0].lower() + title[1:] for stage, title in STAGES.items()}
SHORT = {stage: label.removesuffix(" latency") for stage, label in LABELS.items()}
# The stages in which `tailrace explain` looks for episodes.
EXPLAINED = ("publish", "end_to_end")
# The stages that charts over time show, the longest first.
CHARTED = ("end_to_end", "publish")
COMPARED = ("publish", "end_to_end", "publish_delay")


def title(stage: str) -> str:
    """``end_to_end`` → ``End-to-end latency``."""
    return STAGES[stage]
