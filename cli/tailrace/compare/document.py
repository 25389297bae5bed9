# SPDX-License-Identifier: Apache-2.0
"""A comparison as one JSON object."""

from typing import Any

from tailrace.compare.comparison import Against, Comparison
from tailrace.compare.text import notes


def document(comparison: Comparison) -> dict[str, Any]:
    """Keys: baseline, confidence, seed, settings, runs, notes. Latencies in µs, rates per s.

    A row without an interval has neither low nor high; a row with low alone has no upper bound.
    """
    return {
        "baseline": comparison.baseline.name,
        "confidence": round(comparison.confidence, 6),
        "seed": comparison.seed,
        "settings": [{"setting": s.name, "values": list(s.values)} for s in comparison.settings],
        "runs": [_against(each) for each in comparison.others],
        "notes": list(notes(comparison)),
    }


def _against(against: Against) -> dict[str, Any]:
    return {
        "run": against.side.name,
        "block_s": [draws.blocks.length_s for draws in against.side.draws],
        "blocks": [draws.blocks.number for draws in against.side.draws],
        "rows": [
            {
                "what": row.what,
                "percentile": None if row.percentile is None else round(100 * row.percentile, 6),
                "baseline": row.baseline,
                "run": row.value,
                "difference": row.difference,
                "low": row.low,
                "high": row.high,
                "difference_percent": row.percent(row.difference),
                "verdict": row.verdict,
            }
            for row in against.rows
        ],
        "stages": [
            {
                "what": f"stage.{row.stage}",
                "number": row.number,
                "baseline": row.baseline,
                "run": row.value,
                "difference": row.difference,
            }
            for row in against.stages
        ],
    }
