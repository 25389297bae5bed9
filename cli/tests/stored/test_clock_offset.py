# SPDX-License-Identifier: Apache-2.0
"""Clocks of several hosts: measured, stored, and what the audit makes of them."""

import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Model
from tailrace.audit.checks import check
from tailrace.audit.inputs import read_inputs
from tailrace.runs import clockoffset
from tailrace.runs.clockoffset import Offset
from tailrace.stack.endpoints import Endpoints


@contextmanager
def other_host(ahead_us: int, way_there_s: float, way_back_s: float) -> Iterator[str]:
    """A host whose clock is ahead of this one's, at the end of a slow and lopsided way."""

    class Answer(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            time.sleep(way_there_s)
            body = str(time.time_ns() // 1000 + ahead_us).encode()
            time.sleep(way_back_s)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("ahead_us", [-3_000_000, -700, 0, 250_000])
@pytest.mark.parametrize(("there_s", "back_s"), [(0.0, 0.0), (0.02, 0.0), (0.0, 0.02)])
def test_the_true_offset_is_within_half_the_round_trip(
    endpoints: Endpoints, ahead_us: int, there_s: float, back_s: float
) -> None:
    with other_host(ahead_us, there_s, back_s) as url:
        measured = clockoffset.measure(replace(endpoints, warehouse_url=url), round_trips=5)
    assert abs(measured.offset_us - -ahead_us) <= measured.bound_us
    assert measured.bound_us >= (there_s + back_s) * 1e6 / 2
    assert measured.round_trips == 5


def test_one_hosts_clock_is_its_own(endpoints: Endpoints) -> None:
    measured = clockoffset.measure(endpoints)
    assert abs(measured.offset_us) <= measured.bound_us


def test_a_warehouse_out_of_reach_is_stated_and_stops_nothing(endpoints: Endpoints) -> None:
    messages: list[str] = []
    gone = replace(endpoints, warehouse_url="http://127.0.0.1:1")
    assert clockoffset.attempt(gone, messages.append) is None
    wrong = replace(endpoints, warehouse_password="wrong")
    assert clockoffset.attempt(wrong, messages.append) is None
    assert [line.split(" (")[0] for line in messages] == [
        "note: clock not measured: no answer at http://127.0.0.1:1",
        f"note: clock not measured: no answer at {endpoints.warehouse_url}",
    ]


def offset(host: str, offset_us: float, bound_us: float) -> Offset:
    return Offset(host, "warehouse:8123", offset_us, bound_us, 25, 1_768_471_200_000_000)


def notes(client: Client, model: Model) -> list[str]:
    return [note for note in check(read_inputs(client, model.run_id)).notes if "clock" in note]


def test_two_hosts_are_apart_by_the_sum_of_their_bounds(client: Client, endpoints: Endpoints, model: Model) -> None:
    model.insert(client)
    messages: list[str] = []
    for workers, host, us in ([0], "a", 100.0), ([1, 2], "b", -200.0):
        found = [(clockoffset.START, offset(host, us, 40)), (clockoffset.END, offset(host, us, 50))]
        clockoffset.keep(endpoints, model.run_id, workers, found, messages.append)
    assert messages == []
    assert notes(client, model) == [
        "clocks of 2 hosts, measured against the warehouse's: apart by +300 ± 100 µs at most"
        " (a minus b); end-to-end latencies between hosts are accurate to that"
    ]
    events = client.query(
        "SELECT worker, name, detail FROM v_run_events"
        " WHERE run_id = {r:String} AND kind = 'clock' ORDER BY worker, name",
        parameters={"r": model.run_id},
    ).result_rows
    assert [(row[0], row[1]) for row in events] == [
        (worker, name) for worker in range(3) for name in (clockoffset.END, clockoffset.START)
    ]
    assert json.loads(events[0][2])["bound_us"] == 50


def test_a_clock_that_drifts_widens_the_bound(client: Client, endpoints: Endpoints, model: Model) -> None:
    model.insert(client)
    for worker, host, drift in (0, "a", 0.0), (1, "b", 1000.0):
        found = [
            (clockoffset.START, offset(host, 0, 10)),
            (clockoffset.END, offset(host, drift, 10)),
        ]
        clockoffset.keep(endpoints, model.run_id, [worker], found, print)
    (note,) = notes(client, model)
    assert "apart by -500 ± 520 µs" in note


def test_the_measured_clocks_are_in_no_workers_ledger(client: Client, endpoints: Endpoints, model: Model) -> None:
    model.insert(client)
    before = check(read_inputs(client, model.run_id))
    clockoffset.keep(endpoints, model.run_id, [0], [(clockoffset.START, offset("a", 1, 1))], print)
    after = check(read_inputs(client, model.run_id))
    assert after.failures == before.failures == ()
    assert after.notes == before.notes


def test_a_run_that_the_warehouse_does_not_know_gets_no_rows(endpoints: Endpoints) -> None:
    messages: list[str] = []
    found = [(clockoffset.START, offset("a", 1, 1)), (clockoffset.END, None)]
    clockoffset.keep(endpoints, "missing-run", [0], found, messages.append)
    (line,) = messages
    assert line.endswith(f"not stored: {endpoints.warehouse_url} has no run missing-run")
