# SPDX-License-Identifier: Apache-2.0
"""A topic of the run that another program fills from another topic: judged by messages, not by offsets."""

from dataclasses import replace

from audited import Tailrace, assert_fails, passes
from clickhouse_connect.driver.client import Client

from lab.simulated.copied import Copied
from lab.simulated.model import RATE, SECONDS

COUNT = RATE * SECONDS


def test_copies_that_are_received_once_pass_with_a_note(tailrace: Tailrace, client: Client) -> None:
    run = Copied("copies-pass")
    run.insert(client)
    output = passes(tailrace, run)
    assert f"copies of topics: {COUNT} acknowledged messages were compared with those received" in output


def test_a_lost_and_a_duplicated_copy_fail(tailrace: Tailrace, client: Client) -> None:
    run = Copied("copies-fail")
    run.delivered[300] = replace(run.delivered[301], offset=5000)
    run.insert(client)
    line = "copies of topics: lost is 1, expected 0 (acknowledged and never received from the copy: producer 0"
    output = assert_fails(tailrace, client, run, "copy_lost", line)
    assert "copies of topics: duplicated is 1, expected 0" in output


def test_lost_rows_leave_it_unknown_whether_a_message_was_copied(tailrace: Tailrace, client: Client) -> None:
    run = Copied("copies-unknown")
    del run.delivered[300]
    run.insert(client)
    client.insert("ledger", [[run.run_id, 0, "deliveries", "lost", "spool_full", 1, 0, 0]])
    client.insert("ledger", [[run.run_id, 0, "deliveries", "recorded", "", 1, 0, 0]])
    client.insert("ledger", [[run.run_id, 0, "deliveries", "received", "", 1, 0, 0]])
    output = tailrace("audit", run.run_id).stdout
    assert "copies of topics: unknown whether 1 messages were acknowledged and never received" in output
    assert "copy_lost" not in output
