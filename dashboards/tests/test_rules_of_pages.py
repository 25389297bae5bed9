# SPDX-License-Identifier: Apache-2.0
"""Our own rules for dashboards, held against what is committed."""

import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from committed import CLICKHOUSE, ROOM, Asked, asked, pages, panels, provisioned, rules, unfolded

from tailrace.api import catalogue, metrics_catalogue

ALERTS = sorted((ROOM / "alerts").glob("*.yaml"))
# Names that are no metrics: functions, keywords and labels of MetricsQL.
METRIC = re.compile(
    r"\b((?:node|ioprobe|procprobe|kafka|jvm|tailrace|otelcol|nvme)[_:][\w:]*|up|ALERTS|scrape_duration_seconds)\b"
)


def sql_queries() -> list[Asked]:
    return [each for each in asked() if each.source["type"] == CLICKHOUSE]


def test_the_files_are_what_the_code_makes() -> None:
    from boards.files import made

    wanted = made()
    assert {name for name in wanted if name.startswith("json/")} == set(pages())
    for name, text in wanted.items():
        assert (ROOM / name).read_text(encoding="utf-8") == text, f"{name}: run make dashboards"


def test_uids_are_unique_and_every_link_leads_somewhere() -> None:
    uids = Counter(page["uid"] for page in pages().values())
    assert set(uids.values()) == {1}
    assert all(uid.startswith("tailrace-") for uid in uids)
    texts = [*(ROOM / path for path in pages()), *ALERTS]
    for file in texts:
        for uid in re.findall(r"/d/([\w-]+)", file.read_text(encoding="utf-8")):
            assert uid in uids, f"{file.name}: /d/{uid}"
    ids = {(p["uid"], str(panel["id"])) for p in pages().values() for panel in unfolded(p)}
    for rule in rules():
        notes = rule["annotations"]
        assert (notes["__dashboardUid__"], notes["__panelId__"]) in ids


def test_alerts_give_dashboards_variables_that_they_have() -> None:
    names = {p["uid"]: {v["name"] for v in p["templating"]["list"]} for p in pages().values()}
    for file in [*(ROOM / path for path in pages()), *ALERTS]:
        for uid, rest in re.findall(r"/d/([\w-]+)\?([^\"\s]*)", file.read_text(encoding="utf-8")):
            for name in re.findall(r"var-(\w+)=", rest):
                assert name in names[uid], f"{file.name}: var-{name} of {uid}"


def test_one_can_go_from_each_level_to_the_next_and_back() -> None:
    levels = ["long-run", "run", "latency-drive", "messages"]
    ways = {
        page["uid"]: set(re.findall(r"/d/([\w-]+)", str([*page["links"], *page["panels"]])))
        for page in pages().values()
    }
    for above, below in pairwise(levels):
        assert f"tailrace-{below}" in ways[f"tailrace-{above}"]
    reached = {"tailrace-run"}
    while more := {to for uid in reached for to in ways[uid]} - reached:
        reached |= more
    assert reached == set(ways)
    assert all(ways.values())


def test_events_are_marked_where_the_time_axis_is_the_runs_own() -> None:
    for page in pages().values():
        marks = {mark["name"] for mark in page["annotations"].get("list", [])}
        if page["uid"] == "tailrace-compare":
            assert marks == set()
        elif "run" in {variable["name"] for variable in page["templating"]["list"]}:
            assert marks >= {"Phases", "Alerts", "Marked by hand", "Events"}, page["uid"]


def test_pages_with_live_panels_refresh() -> None:
    now = {where.split(":")[0] for where, panel in panels() if panel["title"].endswith(" now")}
    assert now == {"tailrace-run", "tailrace-latency-drive"}
    for page in pages().values():
        assert page.get("refresh", "") == ("10s" if page["uid"] in now else ""), page["uid"]


def test_what_reads_every_message_of_a_run_waits_in_a_folded_row_at_the_end() -> None:
    folded = set()
    for page in pages().values():
        rows = [panel for panel in page["panels"] if panel["type"] == "row"]
        for row in (row for row in rows if row.get("collapsed")):
            assert row is page["panels"][-1]
            folded |= {panel["title"] for panel in row["panels"]}
        assert not any(row.get("panels") for row in rows if not row.get("collapsed"))
    whole_run = {
        "Counted and stored, by rows",
        "Rows and rollups",
        "Loss and duplicates by partition",
        "Order",
    }
    assert folded == whole_run | {"Slowest of the measure phase, and what surrounded them"}


@pytest.mark.parametrize(("where", "panel"), list(panels()), ids=[where for where, _ in panels()])
def test_every_panel_describes_what_it_shows(where: str, panel: dict[str, Any]) -> None:
    defaults = panel["fieldConfig"]["defaults"]
    assert len(panel["description"]) > 8
    assert defaults["unit"]
    assert defaults["noValue"], "its text when there is nothing"
    assert panel["targets"]
    assert all(target["datasource"] == panel["datasource"] for target in panel["targets"])


def test_ids_of_panels_are_unique_and_nothing_overlaps() -> None:
    for page in pages().values():
        ids = [panel["id"] for panel in unfolded(page)]
        assert len(set(ids)) == len(ids)
        taken: set[tuple[int, int]] = set()
        for panel in unfolded(page):
            at = panel["gridPos"]
            left, top = at.get("x", 0), at.get("y", 0)
            cells = {(x, y) for x in range(left, left + at["w"]) for y in range(top, top + at["h"])}
            assert left + at["w"] <= 24
            assert not cells & taken, f"{page['uid']}: {panel['title']}"
            taken |= cells


def test_data_sources_are_variables_on_dashboards_and_provisioned_ones_in_rules() -> None:
    known = {source["uid"]: source["type"] for source in provisioned("datasources")["datasources"]}
    for each in asked():
        uid = each.source["uid"]
        if each.where in {rule["title"] for rule in rules()}:
            assert known[uid] == each.source["type"]
        else:
            expected = "${clickhouse}" if each.source["type"] == CLICKHOUSE else "${metrics}"
            assert uid == expected, each.where
    for page in pages().values():
        chosen = {v["name"]: v["current"]["value"] for v in page["templating"]["list"] if v["type"] == "datasource"}
        assert {chosen["clickhouse"], chosen["metrics"]} == set(known)


@pytest.mark.parametrize("each", sql_queries(), ids=lambda each: each.where)
def test_sql_is_a_rendered_file_and_nothing_else(each: Asked) -> None:
    from boards.rendering import MACROS

    (name,) = re.findall(r"-- queries/(\w+)\.sql\n", each.sql)
    outer = re.sub(r"FROM\n\(\n.*\n\) AS q", "", each.sql, flags=re.S)
    assert not re.search(r"\b(FROM|JOIN|SELECT \*)\b", outer), outer
    assert set(re.findall(r"\$__\w+", each.sql)) <= set(MACROS)
    assert not re.search(r"(?<!\$)\{\w+:", each.sql), "a parameter without a value"
    inner = re.search(r"FROM\n\(\n    -- queries/\w+\.sql\n(.*)\n\) AS q", each.sql, flags=re.S)
    assert inner is not None
    # Where a parameter stood anything may stand; all else is the file's own text.
    text = catalogue.load(name).text
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    pattern = re.escape("\n".join(f"    {line}".rstrip() for line in lines))
    pattern = re.sub(r"\\\{\w+:.*?\\\}", r"[^\\n]+?", pattern)
    assert re.fullmatch(pattern, "\n".join(line.rstrip() for line in inner[1].splitlines()))


@pytest.mark.parametrize("each", sql_queries(), ids=lambda each: each.where)
def test_time_series_keep_to_the_time_range(each: Asked) -> None:
    if each.query["format"] == 0:
        assert "$__timeFilter(q.time)" in each.sql or "$__fromTime" in each.sql
        assert re.search(r"\nORDER BY time\b[^\n]*$", each.sql), "rows must be sorted by time"
        assert each.sql.startswith(("SELECT q.time AS time", "SELECT $__timeInterval(q.time) AS time"))
    # What is of a run is of the run that is chosen.
    (name,) = re.findall(r"-- queries/(\w+)\.sql\n", each.sql)
    if catalogue.load(name).takes_run():
        assert "${run:singlequote}" in each.sql


def test_columns_with_a_unit_in_their_name_are_shown_in_it() -> None:
    from boards.panels import COLUMN_UNITS

    for where, panel in panels():
        if panel["type"] != "table":
            continue
        overrides = panel["fieldConfig"]["overrides"]
        endings = [o["matcher"]["options"].strip("/$") for o in overrides if o["matcher"]["id"] == "byRegexp"]
        assert endings == sorted(COLUMN_UNITS, key=len), where


def test_charts_have_the_unit_that_their_columns_end_in() -> None:
    """A column keeps its query's unit, so a chart with another one is wrong by a factor."""
    from boards.panels import COLUMN_UNITS

    seen = 0
    for where, panel in panels():
        if panel["type"] not in ("timeseries", "barchart", "xychart"):
            continue
        units = {"": panel["fieldConfig"]["defaults"]["unit"]}
        for override in panel["fieldConfig"]["overrides"]:
            for each in override["properties"]:
                if each["id"] == "unit" and override["matcher"]["id"] == "byName":
                    units[override["matcher"]["options"]] = each["value"]
        for target in panel["targets"]:
            selected = target.get("rawSql", "").partition("\nFROM\n")[0]
            for column in re.findall(r" AS (\w+)", selected):
                endings = [end for end in COLUMN_UNITS if column.endswith(end)]
                if endings and column != "time":
                    seen += 1
                    wanted = COLUMN_UNITS[max(endings, key=len)]
                    assert units.get(column, units[""]) == wanted, f"{where}: {column}"
    assert seen > 5


def test_metrics_are_those_of_the_catalogue() -> None:
    known = {metric.name for metric in metrics_catalogue.all_metrics(metrics_catalogue.load())}
    for each in asked():
        if each.source["type"] == "prometheus":
            used = set(METRIC.findall(re.sub(r'"[^"]*"', "", each.promql))) - {"tailrace_run_id"}
            assert used, each.promql
            assert used <= known, f"{each.where}: {used - known}"


def test_ports_and_secrets_come_from_the_environment() -> None:
    clickhouse, victoria = provisioned("datasources")["datasources"]
    assert clickhouse["jsonData"]["port"] == "${WAREHOUSE_PORT}"
    assert clickhouse["secureJsonData"]["password"] == "${WAREHOUSE_READER_PASSWORD}"
    assert "${VICTORIAMETRICS_PORT}" in victoria["url"]
    folders = {p.parent.name for p in (ROOM / "json").rglob("*.json")}
    provided = {p["options"]["path"].rpartition("/")[2] for p in provisioned("dashboards")["providers"]}
    assert folders == provided
