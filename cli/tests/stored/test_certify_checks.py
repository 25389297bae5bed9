# SPDX-License-Identifier: Apache-2.0
"""The verdict on a claim, and the certificate as text, JSON and page."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.transacted import ABORTED, IN_DOUBT, Transacted
from tailrace.certify import checks, page, text
from tailrace.certify.certificate import Certificate, Line
from tailrace.certify.claims import chosen
from tailrace.certify.document import document
from tailrace.certify.striking import Struck

(COMMITTED_READS,) = chosen("read_committed")


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Transacted:
    return Transacted(request.node.name)


def checked(client: Client, run: Transacted) -> checks.Check:
    run.insert(client)
    return checks.check(client, COMMITTED_READS, run.run_id)


def test_whole_transactions_hold_the_claim(client: Client, run: Transacted) -> None:
    run.end((0, 1), ABORTED, read=False)
    run.end((1, 2), IN_DOUBT, read=False)
    run.end((1, 3), IN_DOUBT, read=True)
    found = checked(client, run)
    assert (found.verdict, found.messages) == (checks.HOLDS, len(run.published))
    kinds = {each.kind: each.messages for each in found.findings}
    assert kinds == {"allowed_in_doubt_aborted": 10, "allowed_in_doubt_committed": 10}


def test_each_broken_transaction_is_a_violation(client: Client, run: Transacted) -> None:
    run.lose(run.messages((0, 3))[:4])
    run.lose(run.messages((0, 5)))
    run.end((1, 4), ABORTED, read=True)
    found = checked(client, run)
    assert found.verdict == checks.BROKEN
    kinds = {each.kind: each for each in found.violations}
    assert {kind: each.messages for kind, each in kinds.items()} == dict.fromkeys(
        ("torn", "committed_lost", "aborted_read"), 10
    )
    torn = run.messages((0, 3))
    assert kinds["torn"].example.startswith("producer 0, transaction 3, committed at 2026-01-15 10:00:00.773270")
    assert kinds["torn"].example.endswith(
        " UTC, sequence 30 to 39: 6 of 10 messages received by subscription 0,"
        f" the first at {torn[4].partition}@{torn[4].offset}"
    )


def test_a_run_that_sent_nothing_tested_nothing(client: Client) -> None:
    for claim in chosen(None):
        assert checks.check(client, claim, "nothing").verdict == checks.UNTESTED


@pytest.fixture
def certificate() -> Certificate:
    broken = checks.Check(20, [checks.Finding("torn", 2, "producer <1>"), checks.Finding("allowed_x", 3, "a@1")], 1.25)
    line = Line(COMMITTED_READS, {"acks": "all"}, "r-1", check=replace(broken, findings=broken.findings[1:]))
    struck = [Struck("broker_kill", "broker 2 killed", 1.0, 4.0)]
    lines = [
        replace(line, struck=struck),
        replace(line, run_id="r-2", check=broken, not_made={"leader_move": "the cluster has one broker"}),
        replace(line, run_id="r-3", check=None, reason="the companion did not become ready"),
    ]
    return Certificate({"brokers": "1 at b:9092"}, lines, "tailrace certify")


def test_the_result_counts_every_line(certificate: Certificate) -> None:
    assert certificate.result == "RESULT claims=3 hold=1 faults=1 messages=40 check_s=2.5"
    assert not certificate.holds
    assert replace(certificate, lines=certificate.lines[:1]).holds


def test_an_interrupted_certificate_does_not_hold(certificate: Certificate, tmp_path: Path) -> None:
    interrupted = replace(certificate, lines=certificate.lines[:1], untried=["no_loss"])
    assert not interrupted.holds
    assert interrupted.result.startswith("RESULT claims=2 hold=1 ")
    assert (document(interrupted)["holds"], document(interrupted)["untried"]) == (False, ["no_loss"])
    page.write(interrupted, tmp_path / "certificate.html")
    html = (tmp_path / "certificate.html").read_text()
    assert "1 of 2 claims hold" in html
    assert "not tried" in html


def test_text_json_and_page_state_the_same(certificate: Certificate, tmp_path: Path) -> None:
    printed = "\n".join(word for line in certificate.lines for word in text.about(line))
    assert "read_committed: holds\n" in printed
    assert "read_committed: DOES NOT HOLD\n" in printed
    assert "  VIOLATION: torn: 2 messages; first: producer <1>\n" in printed
    assert "  not made: leader_move: the cluster has one broker\n" in printed
    written = document(certificate)
    json.dumps(written)
    assert [line["verdict"] for line in written["claims"]] == ["holds", "does not hold", "not tested"]
    assert [line["counterexample"] for line in written["claims"]] == ["", "torn: producer <1>", ""]
    page.write(certificate, tmp_path / "certificate.html")
    html = (tmp_path / "certificate.html").read_text()
    assert "1 of 3 claims hold" in html
    assert "torn: producer &lt;1&gt;" in html
    assert "the companion did not become ready" in html
    assert "broker 2 killed" in html
