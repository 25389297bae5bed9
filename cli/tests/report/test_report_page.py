# SPDX-License-Identifier: Apache-2.0
"""The report as a file: complete, safe, and equal to the run's rows."""

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client
from html_page import Page

from lab.simulated.fixture_runs import FIXTURE_RUNS
from tailrace import warehouse
from tailrace.queries import catalogue
from tailrace.report import spread
from tailrace.report.builder import build

Report = Callable[[str], Path]


def page(report: Report, run_id: str) -> Page:
    return Page(report(run_id).read_text(encoding="utf-8"))


def ask(client: Client, name: str, run_id: str, **params: str) -> list[dict[str, Any]]:
    question = catalogue.load(name)
    result = client.query(question.text, parameters=question.fill({"run_id": run_id, **params}))
    return [dict(row) for row in result.named_results()]


@pytest.mark.parametrize("run_id", FIXTURE_RUNS)
def test_nothing_is_loaded_from_anywhere(report: Report, run_id: str) -> None:
    read = page(report, run_id)
    for tag, attributes in read.elements:
        assert tag not in ("iframe", "object", "embed", "base", "form", "img")
        for name in ("src", "srcset", "data", "action", "poster", "style"):
            assert name not in attributes, (tag, attributes)
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        target = attributes.get("href") or "#"
        assert target.startswith("#") or target == "data:,", target
    assert not re.search(r"url\(|@import", read.text["style"])


def test_the_policy_allows_exactly_the_inlined_style_and_script(report: Report) -> None:
    read = page(report, "full")
    policy = next(a["content"] for _, a in read.elements if a.get("http-equiv"))
    html = report("full").read_text(encoding="utf-8")
    script = html.rsplit("<script>", 1)[1].split("</script>")[0]

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert f"style-src 'sha256-{digest(read.text['style'])}'" in policy
    assert f"script-src 'sha256-{digest(script)}'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_hostile_names_stay_text(report: Report) -> None:
    read = page(report, "hostile")
    assert FIXTURE_RUNS["hostile"].workload_name in read.visible
    assert [tag for tag, _ in read.elements].count("script") == 2
    assert "<b>boo</b>" in read.visible


def test_latency_in_the_charts_is_that_of_sql(client: Client, report: Report) -> None:
    read = page(report, "full")
    first = read.data["origin"] + read.data["first"]
    rows = ask(client, "latency_stretches", "full")
    columns = {"p50": "p50_us", "p99": "p99_us", "p99.9": "p99_9_us", "p99.99": "p99_99_us"}
    columns |= {"max": "max_us"}
    for stage in ("end_to_end", "publish"):
        own = [row for row in rows if row["stage"] == stage]
        assert len(own) > FIXTURE_RUNS["full"].measure_s
        for label, column in columns.items():
            line = read.line(f"latency-{stage}", label)
            assert line["factor"] == 0.001
            drawn = {first + i: v for i, v in enumerate(line["values"]) if v is not None}
            assert drawn == {int(row["time"].timestamp()): row[column] for row in own}


def test_throughput_and_drive_in_the_charts_are_those_of_sql(client: Client, report: Report) -> None:
    read = page(report, "full")
    first = read.data["origin"] + read.data["first"]
    for chart, label, query, column in (
        ("throughput", "acked", "throughput_per_second", "acked_per_s"),
        ("throughput", "received", "throughput_per_second", "received_per_s"),
        ("drive-0-flush-latency", "flush latency", "latency_beside_drive", "flush_latency_ms"),
        ("drive-0-queue", "utilisation", "latency_beside_drive", "utilisation"),
        ("drive-0-written", "written", "latency_beside_drive", "written_bytes_per_s"),
    ):
        by_second = {int(row["time"].timestamp()): row[column] for row in ask(client, query, "full")}
        values = read.line(chart, label)["values"]
        assert len(values) == read.data["count"]
        assert any(values)
        for i, value in enumerate(values):
            assert value == pytest.approx(by_second[first + i], rel=1e-5), (chart, i)


def test_percentiles_are_those_of_sql(client: Client, report: Report) -> None:
    text = page(report, "full").text["latency"]
    assert "within 0.4 %" in text
    assert "tailrace query latency_percentiles --run full" in " ".join(text.split())
    words = text.split()
    for row in ask(client, "latency_percentiles_rollup", "full"):
        for column in ("p50_us", "p99_us", "p99_9_us", "p99_99_us", "max_us"):
            assert f"{row[column] / 1000:,.3f}" in words, (row["stage"], column)


def test_percentile_curve_is_that_of_sql(client: Client, report: Report) -> None:
    spec = page(report, "full").chart("percentiles")
    rows = [row for row in ask(client, "latency_curve", "full") if row["stage"] == "end_to_end"]
    line = next(line for line in spec["series"] if line["label"] == "end-to-end")
    assert line["values"] == [row["value_us"] for row in rows]
    assert spec["x"] == pytest.approx([100 / (100 - row["percentile"]) for row in rows], rel=1e-5)


def test_the_drive_is_found_to_move_one_second_before(report: Report) -> None:
    read = page(report, "full")
    r = read.line("lags-0", "flush latency")["values"]
    lags = read.chart("lags-0")["x"]
    assert lags[r.index(max(r))] == 1
    assert "Correlation is not cause." in read.visible


def test_seconds_without_messages_are_gaps(report: Report) -> None:
    read = page(report, "hostile")
    values = read.line("latency-publish", "p50")["values"]
    gaps = [i + read.data["first"] for i, value in enumerate(values) if value is None]
    assert {7, 8} <= set(gaps)
    assert read.line("throughput", "acked")["values"][8 - read.data["first"]] == 0


def test_a_passed_audit_and_a_failed_one(report: Report) -> None:
    assert "Audit passed" in page(report, "full").visible
    failed = page(report, "hostile")
    assert "Audit failed" in failed.visible
    assert "stored rows is 27000, expected 30000" in failed.text["header"]
    assert "The target rate was not reached." in failed.visible


def test_counts_name_their_messages(client: Client, report: Report) -> None:
    read = page(report, "full")
    seed = FIXTURE_RUNS["full"]
    whole = seed.rate * (seed.warmup_s + seed.measure_s)
    words = " ".join(read.text["summary"].split())
    assert f"Messages of the whole run, with warm-up sent {whole:,} acked {whole:,}" in words
    measured = ask(client, "latency_percentiles_rollup", "full")[0]["events"]
    assert 0 < measured < whole
    assert f"messages measured {measured:,}" in " ".join(read.text["latency"].split())


def test_missing_drive_metrics_are_reported(report: Report) -> None:
    read = page(report, "no-metrics")
    assert "This run has no stored metrics of this drive" in read.visible
    assert "No correlation:" in read.visible
    assert not [spec for spec in read.data["charts"] if spec["id"].startswith("drive")]


def test_the_drive_under_the_log_is_named_with_its_properties(report: Report) -> None:
    drive = "QEMU HARDDISK, 256 GiB, not rotational, scheduler none, xfs noatime"
    assert f"broker 1's drive {drive}" in page(report, "full").visible


def test_a_report_of_half_a_minute_is_small(report: Report) -> None:
    assert report("full").stat().st_size < 400_000


def test_the_heatmap_holds_every_message(client: Client, report: Report) -> None:
    spec = page(report, "full").chart("heat-publish")["heat"]
    assert spec["step"] == 1
    rows = ask(client, "latency_heatmap", "full", stage="publish", step_s="1", per_doubling="4")
    assert sum(messages for _, _, messages in spec["cells"]) == sum(row["events"] for row in rows)
    assert max(messages for _, _, messages in spec["cells"]) == spec["most"]


def test_brokers_and_partitions_are_those_of_sql(client: Client, report: Report) -> None:
    read = page(report, "full")
    words = " ".join(read.text["spread"].split())
    for row in ask(client, "latency_by_broker", "full"):
        assert f"{row['p99_us'] / 1000:,.3f}" in words, row
    rows = ask(client, "latency_by_group", "full", by="partition")
    slowest = max(rows, key=lambda row: row["p99_us"])
    spec = read.chart("partitions")
    assert spec["names"][0] == str(slowest["member"])
    assert sorted(spec["names"]) == ["0", "1", "2", "3"]
    assert read.line("partitions", "p99")["values"][0] == slowest["p99_us"]


def test_the_backlog_is_that_of_sql(client: Client, report: Report) -> None:
    read = page(report, "full")
    first = read.data["origin"] + read.data["first"]
    drawn = read.line("backlog", "backlog")["values"]
    for row in ask(client, "backlog_per_second", "full"):
        assert drawn[int(row["time"].timestamp()) - first] == row["backlog"]


def test_a_run_of_a_campaign_shows_all_of_it(report: Report) -> None:
    read = page(report, "sweep-1")
    labels = [line["label"] for line in read.chart("campaign-end_to_end")["series"]]
    assert labels == ["messageSize 1 KB (this run)", "messageSize 10 KB"]
    assert "tailrace compare sweep-1 sweep-2" in read.visible
    assert "campaign" not in page(report, "full").text


def test_episodes_are_listed_or_their_absence_explained(report: Report) -> None:
    full = page(report, "full").visible
    assert "No episode of 3 s or longer; " in full
    # The second of the stall, which the finding above the charts names as the slowest.
    assert "at 10:00:19 UTC (publish p99 " in full
    assert "Slowest second: 10:00:19 UTC" in full
    assert "stayed at its baseline" not in full
    # This run ends before its stall would come.
    assert "Latency stayed at its baseline." in page(report, "no-metrics").visible
    assert "no metrics of the broker's JMX agent" in page(report, "full").visible
    assert "Not explained: nothing was measured" in page(report, "empty").visible


def test_an_older_warehouse_leaves_out_only_what_is_missing(client: Client, tmp_path: Path) -> None:
    """An older schema has no such view: the page states it, and shows the rest."""
    newest = warehouse.newest_schema()
    client.command("RENAME TABLE v_drive_1s TO v_drive_1s_hidden")
    client.command(f"DELETE FROM goose_db_version WHERE version_id = {newest}")
    try:
        [[older]] = client.query("SELECT max(version_id) FROM goose_db_version").result_rows
        read = Page(build("full", tmp_path / "r.html").read_text(encoding="utf-8"))
    finally:
        client.command("RENAME TABLE v_drive_1s_hidden TO v_drive_1s")
        client.insert("goose_db_version", [[newest, 1]], column_names=["version_id", "is_applied"])
    assert "Some queries failed." in read.text["header"]
    message = f"the warehouse's schema has version {older}, this program needs {newest}"
    assert message in read.text["header"]
    assert read.line("throughput", "acked")["values"]


def test_the_spread_of_a_large_run_covers_a_window_around_its_slowest_point(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "MOST_ROWS", 5_000)
    read = Page(build("full", tmp_path / "r.html").read_text(encoding="utf-8"))
    # 25 seconds of 1,000: five of them, with the stall at 14 s in the middle.
    words = " ".join(read.text["spread"].split())
    assert "Messages intended from 0:12 to 0:17 of the measure phase" in words
    rows = ask(client, "latency_by_broker", "full", from_s="12", to_s="17")
    assert sum(row["events"] for row in rows) == 2 * 5_000
    for row in rows:
        assert f"{row['p99_us'] / 1000:,.3f}" in words
    assert "--param from_s=12 --param to_s=17" in words
