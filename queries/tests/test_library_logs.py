# SPDX-License-Identifier: Apache-2.0
"""Broker logs: lines posted as Vector posts them, and what the query makes of them."""

import base64
import json
import urllib.request

from clickhouse_connect.driver.client import Client

from lab.simulated.named_query import ask
from tailrace.api import Endpoints

NOON_US = 1_769_860_800_000_000


def post(endpoints: Endpoints, lines: list[dict[str, object]]) -> None:
    """JSONEachRow over HTTP, columns by name, times as whole µs."""
    request = urllib.request.Request(
        f"{endpoints.warehouse_url}/?query=INSERT+INTO+broker_logs+FORMAT+JSONEachRow",
        data="\n".join(json.dumps(line) for line in lines).encode(),
    )
    pair = f"{endpoints.warehouse_user}:{endpoints.warehouse_password}".encode()
    request.add_header("Authorization", f"Basic {base64.b64encode(pair).decode()}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 200


def line(at_us: int, level: str, message: str, source: str = "kafka") -> dict[str, object]:
    return {
        "run_id": "logged",
        "time": NOON_US + at_us,
        "host": "broker1",
        "source": source,
        "level": level,
        "logger": "Log",
        "message": message,
    }


def test_warnings_of_a_run_equal_ones_of_a_second_once(client: Client, endpoints: Endpoints) -> None:
    post(
        endpoints,
        [
            line(0, "INFO", "started"),
            line(250_000, "WARN", "slow"),
            line(900_000, "WARN", "slow"),
            line(1_100_000, "WARN", "slow"),
            line(1_500_000, "ERROR", "nvme1: I/O timeout", "kernel"),
            line(0, "ERROR", "of another run") | {"run_id": "other"},
        ],
    )
    rows = ask(client, "broker_logs", run_id="logged")
    found = [(row["time"].second, row["source"], row["level"], row["lines"]) for row in rows]
    assert found == [
        (0, "kafka", "WARN", 2),
        (1, "kafka", "WARN", 1),
        (1, "kernel", "ERROR", 1),
    ]
    assert rows[0]["time"].isoformat().startswith("2026-01-31T12:00:00")
    assert len(ask(client, "broker_logs", run_id="logged", rows="1")) == 1


def test_lines_are_counted_in_a_window_beside_the_whole_run(client: Client, endpoints: Endpoints) -> None:
    lines = [
        line(0, "WARN", "slow"),
        line(3_999_999, "WARN", "slow"),
        line(4_000_000, "WARN", "slow"),
        line(2_000_000, "INFO", "a segment"),
        line(3_000_000, "ERROR", "nvme1: I/O timeout", "kernel"),
    ]
    post(endpoints, [each | {"run_id": "counted"} for each in lines])
    window = {"from": "2026-01-31T12:00:01", "to": "2026-01-31T12:00:03"}
    rows = ask(client, "broker_log_counts", run_id="counted", **window)
    assert [tuple(row.values()) for row in rows] == [
        ("broker1", "kafka", "INFO", 1, 1),
        ("broker1", "kafka", "WARN", 1, 3),
        ("broker1", "kernel", "ERROR", 1, 1),
    ]


def pause(at_us: int, ms: str) -> dict[str, object]:
    level = "WARN" if float(ms) >= 100 else "INFO"
    return line(at_us, level, f"GC({at_us}) Pause Young (Normal) 9M->4M(64M) {ms}ms", "gc")


def test_the_most_telling_lines_come_first_and_those_of_a_kind_once(client: Client, endpoints: Endpoints) -> None:
    lines = [
        line(0, "INFO", "Rolled segment 1"),
        line(1, "WARN", "Request 17 took 900 ms"),
        line(2_000_000, "WARN", "Request 18 took 1200 ms"),
        pause(1_000, "49.999"),
        pause(2_000, "60.000"),
        pause(3_000, "1234.500"),
        line(4_000, "INFO", "GC(1) Concurrent Mark Cycle 80.000ms", "gc"),
        line(5_000, "ERROR", "Error while appending to t-0"),
        line(6_000, "WARN", "nvme nvme1: I/O 12 QID 3 timeout, aborting", "kernel"),
        line(7_000, "INFO", "XFS (nvme1n1p1): Ending clean mount", "kernel"),
        line(9_000_000, "ERROR", "after it"),
    ]
    post(endpoints, [each | {"run_id": "telling"} for each in lines])
    window = {"from": "2026-01-31T12:00:00", "to": "2026-01-31T12:00:05"}
    rows = ask(client, "broker_log_evidence", run_id="telling", **window)
    found = [(row["source"], row["level"], row["message"], row["lines"], row["pause_ms"]) for row in rows]
    assert found == [
        ("kernel", "WARN", "nvme nvme1: I/O 12 QID 3 timeout, aborting", 1, None),
        ("kafka", "ERROR", "Error while appending to t-0", 1, None),
        ("gc", "WARN", "GC(3000) Pause Young (Normal) 9M->4M(64M) 1234.500ms", 2, 1234.5),
        ("kafka", "WARN", "Request 17 took 900 ms", 2, None),
        ("kernel", "INFO", "XFS (nvme1n1p1): Ending clean mount", 1, None),
    ]
    assert {(row["kinds"], row["all_lines"]) for row in rows} == {(5, 7)}
    first, last = rows[3]["first_time"], rows[3]["last_time"]
    assert (last - first).total_seconds() == 1.999999
    (first_row,) = ask(client, "broker_log_evidence", run_id="telling", rows="1", **window)
    assert (first_row["source"], first_row["kinds"], first_row["all_lines"]) == ("kernel", 5, 7)
    longer = ask(client, "broker_log_evidence", run_id="telling", pause_ms="2000", **window)
    assert [row["source"] for row in longer] == ["kernel", "kafka", "kafka", "kernel"]


def test_of_many_lines_the_most_telling_are_sorted_into_kinds(client: Client, endpoints: Endpoints) -> None:
    many = [line(at, "WARN", f"warning {'abcdefghij'[at % 10]}") for at in range(500)]
    lines = [*many, line(900, "ERROR", "x" * 1_000)]
    post(endpoints, [each | {"run_id": "many"} for each in lines])
    rows = ask(client, "broker_log_evidence", run_id="many", rows="3", most_lines="5")
    assert [(row["level"], len(row["message"])) for row in rows[:1]] == [("ERROR", 300)]
    assert {(row["kinds"], row["all_lines"]) for row in rows} == {(5, 501)}
    assert len(rows) == 3
