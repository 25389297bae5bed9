# SPDX-License-Identifier: Apache-2.0
"""The certificate as one HTML page."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tailrace.certify.certificate import Certificate, Line
from tailrace.certify.checks import BROKEN, HOLDS
from tailrace.certify.cluster import VERSION
from tailrace.certify.faults import KINDS
from tailrace.certify.text import survived
from tailrace.page import frame, words
from tailrace.page.specs import embedded

_TONES = {HOLDS: "pass", BROKEN: "fail"}


def write(certificate: Certificate, target: Path) -> None:
    """Write the page. Raises BadInput if the file cannot be written."""
    ended = {"interrupted": f"in {certificate.interrupted}"} if certificate.interrupted else {}
    ended |= {"not tried": ", ".join(certificate.untried)} if certificate.untried else {}
    held = sum(line.verdict == HOLDS for line in certificate.lines)
    frame.write(
        target,
        "--output",
        "tailrace.certify",
        "certificate.html.j2",
        headline=f"{held} of {certificate.planned} claims hold",
        tone="pass" if certificate.holds else "fail",
        facts=[*ended.items(), *certificate.cluster.items()],
        lines=[_line(line) for line in certificate.lines],
        kinds=list(KINDS.items()),
        command=certificate.command,
        result=certificate.result,
        page=embedded("certificate", None, range(0), []),
    )


def _line(line: Line) -> dict[str, Any]:
    """A line's texts."""
    check = line.check
    return {
        "name": line.claim.name,
        "claim": line.claim.claim,
        "configuration": [f"{name}={value}" for name, value in line.configuration.items()],
        "version": f"{VERSION}={line.configuration[VERSION]}" if VERSION in line.configuration else "",
        "run": line.run_id,
        "messages": words.count(line.messages),
        "failed_sends": words.count(line.failed_sends),
        "seconds": f"{check.seconds:.2f} s" if check else words.MISSING,
        "survived": survived(line),
        "struck": [(f"{_clock(each.start)} to {_clock(each.end)}", each.text) for each in line.struck],
        "not_made": [f"{kind}: {why}" for kind, why in line.not_made.items()],
        "verdict": line.verdict,
        "tone": _TONES.get(line.verdict, "none"),
        "counterexample": line.counterexample or line.reason or words.MISSING,
        "findings": [
            (found.name, found.meaning, words.count(found.messages), found.example)
            for found in (check.findings if check else ())
        ],
        "notes": list(line.notes),
        "commands": _commands(line),
    }


def _commands(line: Line) -> list[str]:
    """What shows the same on the command line."""
    return [
        f"tailrace query {line.claim.query} --run {line.run_id}",
        f"tailrace audit {line.run_id}",
        f"tailrace report {line.run_id}",
    ]


def _clock(second: float) -> str:
    return f"{datetime.fromtimestamp(second, UTC):%H:%M:%S}"
