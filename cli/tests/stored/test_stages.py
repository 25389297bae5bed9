# SPDX-License-Identifier: Apache-2.0
"""``tailrace stages`` of a computed run: every message of partition 0 has a request, no other one has."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Model
from lab.simulated.named_query import ask

Tailrace = Callable[..., Result]
# Read 40 µs after the send; 10 in the queue, 100 local of which 70 append; the rest is to_client.
REQUESTS = """
INSERT INTO broker_requests (run_id, worker, broker, api, topic, partition, offset, records, read_time, queue_us,
    local_us, log_us)
SELECT run_id, 32769, 1, 'produce', topic, partition, offset, 1, send_time + toIntervalMicrosecond(40), 10, 100, 70
FROM v_publishes WHERE run_id = {r:String} AND partition = 0
"""
RAW = """
SELECT sum(publish_latency_us), sum(schedule_us), sum(to_client_us), sum(not_measured_us), countIf(matched), count()
FROM v_message_stages(run_id = {r:String})
"""


@pytest.fixture(scope="module")
def staged(client: Client) -> Model:
    model = Model("staged")
    model.insert(client)
    client.command(REQUESTS, parameters={"r": model.run_id})
    return model


def test_the_rollup_has_the_sums_of_the_messages(tailrace: Tailrace, client: Client, staged: Model) -> None:
    done = tailrace("stages", staged.run_id)
    assert done.exit_code == 0, done.output
    rows = {row["stage"]: row for row in ask(client, "stages", run_id=staged.run_id)}
    latency, schedule, to_client, missing, matched, count = client.query(
        RAW, parameters={"r": staged.run_id}
    ).result_rows[0]
    found = {stage: round(row["mean_us"] * rows["latency"]["messages"]) for stage, row in rows.items()}
    assert found["latency"] == latency == sum(us for stage, us in found.items() if stage != "latency")
    assert (found["schedule"], found["to_client"], found["not_measured"]) == (schedule, to_client, missing)
    assert found["append"] == 70 * matched
    assert (rows["latency"]["messages"], rows["append"]["messages"]) == (count, matched)
    assert rows["append"]["p99_us"] == pytest.approx(70, rel=0.016)


def test_places_and_reasons_add_up(client: Client, tailrace: Tailrace, staged: Model) -> None:
    assert tailrace("stages", staged.run_id).exit_code == 0
    latency = {row["stage"]: row for row in ask(client, "stages", run_id=staged.run_id)}["latency"]
    for by in ("broker", "partition", "producer"):
        places = {row["place"]: row for row in ask(client, "stages_by", run_id=staged.run_id, by=by)}
        assert sum(place["messages"] for place in places.values()) == latency["messages"]
        spent = sum(place["messages"] * place["latency_us"] for place in places.values())
        assert spent == pytest.approx(latency["messages"] * latency["mean_us"])
    (publish,) = [row for row in ask(client, "stages_measured", run_id=staged.run_id) if row["side"] == "publish"]
    assert publish["reasons"] == [("agent off", publish["messages"] - publish["measured"])]
    assert 0 < publish["measured"] < publish["messages"]


def test_the_slowest_of_each_second_are_slower(client: Client, tailrace: Tailrace, staged: Model) -> None:
    assert tailrace("stages", staged.run_id).exit_code == 0
    every, tenth, hundredth = (
        next(row for row in ask(client, "stages", run_id=staged.run_id, band=str(band)) if row["stage"] == "latency")
        for band in (0, 1, 2)
    )
    assert every["messages"] > tenth["messages"] >= hundredth["messages"] > 0
    assert every["mean_us"] <= tenth["mean_us"] <= hundredth["mean_us"]


def test_it_is_computed_again_only_after_rows_were_added(client: Client, tailrace: Tailrace, model: Model) -> None:
    model.insert(client)
    client.command(REQUESTS, parameters={"r": model.run_id})
    made = "SELECT count() FROM v_stages_made WHERE run_id = {r:String}"
    for _ in range(2):
        assert tailrace("stages", model.run_id).exit_code == 0
    assert client.query(made, parameters={"r": model.run_id}).first_row == (1,)
    client.command(REQUESTS.replace("partition = 0", "partition = 1"), parameters={"r": model.run_id})
    assert tailrace("stages", model.run_id).exit_code == 0
    assert client.query(made, parameters={"r": model.run_id}).first_row == (2,)
    rows = ask(client, "stages", run_id=model.run_id)
    assert rows[0]["messages"] == len(model.published)


def test_json_and_text_show_the_same_window(tailrace: Tailrace, staged: Model) -> None:
    shown = json.loads(tailrace("stages", staged.run_id, "--by", "partition", "--json").output)
    assert sum(row["share"] for row in shown["stages"]) == pytest.approx(1)
    assert sum(place["messages"] for place in shown["places"]) == shown["messages"]
    text = tailrace("stages", staged.run_id, "--by", "second").output
    assert f"{shown['messages']:,} messages" in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_a_run_without_the_agent_names_the_remedy(tailrace: Tailrace, golden: Model) -> None:
    done = tailrace("stages", golden.run_id)
    assert done.exit_code == 2
    assert "this run has no request rows" in done.output
    assert "tailrace up --request-rows" in done.output
    assert len(done.output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--episode", "1", "--to", "2026-01-01"), "--episode is a window already"),
        (("--from", "2026-01-02", "--to", "2026-01-01"), "--from 2026-01-02 is after --to"),
        (("--from", "2001-01-01", "--to", "2001-01-01T00:01:00"), "no message in window"),
        (("--episode", "99"), "--episode 99"),
    ],
)
def test_bad_windows(tailrace: Tailrace, staged: Model, arguments: tuple[str, ...], text: str) -> None:
    done = tailrace("stages", staged.run_id, *arguments)
    assert done.exit_code == 2
    assert text in done.output


def test_a_deleted_run_leaves_no_rollup(client: Client, tailrace: Tailrace, model: Model) -> None:
    model.insert(client)
    client.command(REQUESTS, parameters={"r": model.run_id})
    assert tailrace("stages", model.run_id).exit_code == 0
    assert tailrace("runs", "delete", model.run_id).exit_code == 0
    for table in ("stages_1s", "stages_made"):
        sql = f"SELECT count() FROM {table} WHERE run_id = {{r:String}}"
        assert client.query(sql, parameters={"r": model.run_id}).first_row == (0,)


def test_compare_shows_the_stages_of_both_runs(
    client: Client, tailrace: Tailrace, staged: Model, golden: Model
) -> None:
    other = Model("staged-too")
    other.insert(client)
    client.command(REQUESTS.replace("10, 100, 70", "10, 100, 90"), parameters={"r": other.run_id})
    document = json.loads(tailrace("compare", staged.run_id, other.run_id, "--json").output)
    stages = {row["what"]: row for row in document["runs"][0]["stages"] if row["number"] == "p99_us"}
    assert stages["stage.append"]["difference"] == pytest.approx(20, abs=4)
    assert "stage.append" in tailrace("compare", staged.run_id, other.run_id).output
    assert "stage." not in tailrace("compare", golden.run_id, other.run_id).output
