# SPDX-License-Identifier: Apache-2.0
"""The certificate as one JSON object."""

from datetime import UTC, datetime
from typing import Any

from tailrace import __version__
from tailrace.certify.certificate import Certificate, Line


def document(certificate: Certificate) -> dict[str, Any]:
    """Keys: version, written, command, cluster, holds, claims, untried, interrupted. Times are UTC."""
    return {
        "version": __version__,
        "written": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "command": certificate.command,
        "cluster": dict(certificate.cluster),
        "holds": certificate.holds,
        "claims": [_line(line) for line in certificate.lines],
        "untried": list(certificate.untried),
        "interrupted": certificate.interrupted,
    }


def _line(line: Line) -> dict[str, Any]:
    findings = line.check.findings if line.check else ()
    return {
        "claim": line.claim.name,
        "sentence": line.claim.claim,
        "configuration": dict(line.configuration),
        "run": line.run_id,
        "verdict": line.verdict,
        "reason": line.reason,
        "messages": line.messages,
        "failed_sends": line.failed_sends,
        "check_s": round(line.check.seconds, 3) if line.check else None,
        "query": line.claim.query,
        "faults": [
            {"kind": each.kind, "text": each.text, "start": round(each.start, 3), "end": round(each.end, 3)}
            for each in line.struck
        ],
        "not_made": dict(line.not_made),
        "counterexample": line.counterexample,
        "findings": [
            {
                "kind": found.name,
                "meaning": found.meaning,
                "allowed": found.allowed,
                "messages": found.messages,
                "example": found.example,
            }
            for found in findings
        ],
        "notes": list(line.notes),
    }
