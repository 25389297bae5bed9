# SPDX-License-Identifier: Apache-2.0
"""Every claim names files, faults and a query that exist; wrong options are refused in one line."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tailrace.certify import claims, faults, files
from tailrace.certify.claims import FOLDER, Claim
from tailrace.errors import BadInput
from tailrace.main import cli
from tailrace.queries import catalogue
from tailrace.stack.api import StackPaths


@pytest.mark.parametrize("claim", claims.all_claims(), ids=lambda claim: claim.name)
def test_a_claim_is_complete(claim: Claim, tmp_path: Path) -> None:
    root = StackPaths.load().root
    assert claim.claim.endswith(".")
    assert set(claim.faults) <= set(faults.KINDS)
    assert set(claim.driver) <= set(files.SECTIONS)
    assert claim.query in catalogue.names()
    written = files.workload(root / FOLDER / claim.workload, tmp_path / "w.yaml", 33, 77)
    content = yaml.safe_load(written.read_text())
    assert (content["testDuration"], content["producerRate"]) == ("33s", 77)


def test_names_choose_claims_in_the_order_of_the_file() -> None:
    assert [claim.name for claim in claims.chosen("no_duplicates, no_loss")] == ["no_loss", "no_duplicates"]


def test_a_claims_properties_replace_the_drivers(tmp_path: Path) -> None:
    source = tmp_path / "driver.yaml"
    source.write_text("name: mine\nproducerConfig: |\n  acks=1\n  linger.ms=5\ncommonConfig: |\n  client.id=a\n")
    claim = Claim("a", "A.", "a.yaml", {"producerConfig": {"acks": "all"}, "consumerConfig": {"fetch.min.bytes": "1"}})
    target = files.driver(source, tmp_path / "used.yaml", claim)
    assert yaml.safe_load(target.read_text()) == {
        "name": "mine",
        "producerConfig": "linger.ms=5\nacks=all\n",
        "commonConfig": "client.id=a\n",
        "consumerConfig": "fetch.min.bytes=1\n",
    }
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--claims", "no_los"], "--claims: no claim 'no_los'; did you mean no_loss?"),
        (["--claims", ","], "--claims: names none; it knows no_loss, "),
        (["--duration", "soon"], "--duration soon: give 68s or more, so that each kind of fault can strike in "),
        (["--duration", "5s", "--claims", "fencing"], "--duration 5s: give 53s or more, so that each kind "),
        (["--driver", "/no/such.yaml"], "/no/such.yaml: No such file or directory; give a driver file with --driver"),
    ],
)
def test_wrong_input_is_refused_in_one_line(arguments: list[str], text: str) -> None:
    done = CliRunner().invoke(cli, ["certify", *arguments])
    assert done.exit_code == BadInput.exit_code
    assert done.output.startswith(f"Error: {text}"), done.output
    assert len(done.output.splitlines()) == 1


def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str, *more: str) -> str:
    """What the command prints for this driver file; it must leave no folder behind and start nothing."""
    monkeypatch.setenv("TAILRACE_STATE", str(tmp_path / "state"))
    file = tmp_path / "mine.yaml"
    file.write_text(driver)
    done = CliRunner().invoke(cli, ["certify", "--driver", str(file), *more])
    assert done.exit_code == BadInput.exit_code, done.output
    assert not (tmp_path / "state").exists()
    assert len(done.output.splitlines()) == 1, done.output
    return done.output


DRIVER = """# mine
name: mine
driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
replicationFactor: 1
"""


def test_a_driver_is_refused_at_its_own_line_before_anything_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = refused(tmp_path, monkeypatch, DRIVER + "replicationFactr: 2\n")
    assert text.startswith(f"{tmp_path}/mine.yaml:5: replicationFactr: unknown key; ")


def test_an_address_is_refused_in_the_words_of_this_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = refused(tmp_path, monkeypatch, DRIVER, "--bootstrap-servers", "foo")
    assert text == "bootstrap servers: foo is not HOST:PORT\n"


def test_brokers_that_do_not_answer_are_named_before_anything_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = DRIVER + "commonConfig: |\n  bootstrap.servers=127.0.0.1:1\n"
    text = refused(tmp_path, monkeypatch, driver)
    assert text.startswith("Error: no broker answers at 127.0.0.1:1 within 6 s; check that its brokers run, and the ")
