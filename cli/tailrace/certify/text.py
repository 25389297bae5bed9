# SPDX-License-Identifier: Apache-2.0
"""The certificate as text."""

from collections import Counter
from collections.abc import Iterator

from tailrace.certify.certificate import Line


def about(line: Line) -> Iterator[str]:
    """One claim: verdict, numbers, what it survived, what was found."""
    yield f"{line.claim.name}: {line.verdict.upper() if line.counterexample else line.verdict}"
    yield f"  {line.claim.claim}"
    if line.configuration:
        yield f"  with {', '.join(f'{name}={value}' for name, value in line.configuration.items())}"
    if line.reason:
        yield f"  {line.reason}"
    checked = f", in {line.check.seconds:.2f} s" if line.check else ""
    yield f"  {line.messages:,} messages checked{checked}, {line.failed_sends:,} sends failed; run {line.run_id}"
    yield f"  faults: {survived(line)}"
    for kind, why in line.not_made.items():
        yield f"  not made: {kind}: {why}"
    for note in line.notes:
        yield f"  note: {note}"
    for found in line.check.findings if line.check else ():
        word = "VIOLATION" if found.meaning == "violation" else found.meaning
        yield f"  {word}: {found.name}: {found.messages:,} messages; first: {found.example}"


def survived(line: Line) -> str:
    """``2 broker_kill, 1 leader_move``, or none."""
    counts = Counter(each.kind for each in line.struck)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "none"
