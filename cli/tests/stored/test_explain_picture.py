# SPDX-License-Identifier: Apache-2.0
"""The explanation's page: one file, complete, with the evidence drawn."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.hours import Hours
from lab.simulated.per_second import Simulated, SimulatedFault
from lab.simulated.signatures import SIGNATURES


def embedded(html: str) -> dict[str, Any]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_an_episode(client: Client, tailrace: Callable[..., Result], tmp_path: Path) -> None:
    levels = next(levels for name, _, levels in SIGNATURES if name == "writes 10 ms slower")
    Simulated("drawn", [SimulatedFault(60, 75, levels)]).insert(client)
    target = tmp_path / "why.html"
    result = tailrace("explain", "drawn", "--html", target)
    assert result.exit_code == 0, result.output
    html = target.read_text(encoding="utf-8")
    assert "1. slow drive of drive sdb, high confidence" in html
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", html)
    page = embedded(html)
    assert [(p["label"], p["start"], p["end"]) for p in page["phases"]] == [("slow drive", 50, 65)]
    titles = [chart["title"] for chart in page["charts"]]
    assert titles[:2] == ["Publish latency", "End-to-end latency"]
    assert any(title.endswith("of sdb") for title in titles[2:])
    for chart in page["charts"]:
        assert f'id="{chart["id"]}"' in html
        assert {len(line["values"]) for line in chart["series"]} == {page["count"]}


def test_a_quiet_run(client: Client, tailrace: Callable[..., Result], tmp_path: Path) -> None:
    Simulated("drawn-quiet").insert(client)
    target = tmp_path / "quiet.html"
    assert tailrace("explain", "drawn-quiet", "--html", target).exit_code == 0
    html = target.read_text(encoding="utf-8")
    # Its noise has seconds above the baseline: reported as such, and not as a quiet run.
    assert re.search(r"drawn-quiet: no episode of 3 s or longer; .* above the baseline, ", html)
    assert len(embedded(html)["charts"]) == 2


def test_hours(client: Client, tailrace: Callable[..., Result], tmp_path: Path) -> None:
    step = "if(h >= 1, 3, 1)"
    Hours("drawn-long", latency=step, drive=step, hours=2).insert(client)
    target = tmp_path / "long.html"
    result = tailrace("explain", "drawn-long", "--html", target)
    assert result.exit_code == 0, result.output
    page = embedded(target.read_text(encoding="utf-8"))
    assert page["step"] == 10
    assert len(page["phases"]) == 1


def test_a_file_that_cannot_be_written(client: Client, tailrace: Callable[..., Result], tmp_path: Path) -> None:
    Simulated("undrawn").insert(client)
    result = tailrace("explain", "undrawn", "--html", tmp_path / "none" / "why.html")
    assert result.exit_code == 2
    assert "give a writable file with --html" in result.output
