# SPDX-License-Identifier: Apache-2.0
"""Steps over TLS: which there are, and how their clients find the brokers."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tailrace.errors import BadInput
from tailrace.experiments import tls
from tailrace.experiments.execution import Options
from tailrace.experiments.experiment import FULL, SMALL, chosen, published
from tailrace.runs.redact import redact
from tailrace.runs.workers import from_options
from tailrace.stack.api import StackPaths, is_stack_broker

[PRODUCERS] = chosen(published(StackPaths.load().root), ["1-producers"])
SASL = 'security.protocol = SASL_SSL\n# a user\nsasl.jaas.config=Module required password="a=b";\n'


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    return replace(StackPaths.load(), state=tmp_path / "state")


def options(paths: StackPaths, form: str, servers: str | None, access: tls.Access | None) -> Options:
    started = from_options(None, None, None, None)
    return Options(paths, form, "kafka", servers, started, None, False, tls=access)


def drivers(made: Options) -> list[str]:
    return [step.driver.stem for step in made.steps(PRODUCERS)]


@pytest.mark.parametrize("form", [SMALL, FULL])
def test_each_load_is_there_with_and_without(form: str) -> None:
    steps = PRODUCERS.steps(form, "kafka")
    assert {s.workload for s in steps if s.tls} == {s.workload for s in steps if not s.tls}
    assert len(steps) == 4


def test_the_stack_listens_in_both_ways(paths: StackPaths) -> None:
    here = options(paths, SMALL, None, None)
    assert drivers(here) == ["kafka-acks-all"] * 2 + ["kafka-acks-all-tls"] * 2
    plain, _, over_tls, _ = (here.inputs(step) for step in here.steps(PRODUCERS))
    assert plain.bootstrap_servers is None
    assert over_tls.bootstrap_servers == f"127.0.0.1:{paths.ports['KAFKA_TLS_PORT']}"
    # The checks of drive and disk treat this broker like the one without TLS.
    assert is_stack_broker(paths, over_tls.bootstrap_servers)
    common = yaml.safe_load(over_tls.driver.read_text())["commonConfig"].splitlines()
    assert common == [
        "security.protocol=SSL",
        "ssl.truststore.type=PEM",
        f"ssl.truststore.location={paths.broker_certificate}",
    ]


def test_of_a_cluster_only_what_it_listens_for(paths: StackPaths) -> None:
    plain = options(paths, FULL, "b1:9092", None)
    over_tls = options(paths, FULL, None, tls.given("b1:9093", None))
    assert drivers(plain) == ["kafka-acks-all"] * 2
    assert drivers(over_tls) == ["kafka-acks-all-tls"] * 2
    assert len(options(paths, FULL, "b1:9092", over_tls.tls).steps(PRODUCERS)) == 4


def test_client_settings_win_and_stay_with_their_owner(paths: StackPaths, tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text(SASL)
    step = PRODUCERS.steps(FULL, "kafka")[2]
    made = options(paths, FULL, None, tls.given("b1:9093", file)).inputs(step)
    text = yaml.safe_load(made.driver.read_text())
    assert text["commonConfig"].splitlines() == [
        "security.protocol=SASL_SSL",
        'sasl.jaas.config=Module required password="a=b";',
    ]
    assert stat.S_IMODE(made.driver.stat().st_mode) == 0o600
    assert "a=b" not in redact(made.driver.read_text())
    assert "acks=all" in text["producerConfig"]


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_password_is_known_again_in_the_driver_file(paths: StackPaths, tmp_path: Path, quote: str) -> None:
    module = "org.apache.kafka.common.security.scram.ScramLoginModule required"
    user, secret = f"username={quote}ü-benchmark{quote}", f"password={quote}s3 cret{quote}"
    file = tmp_path / "client.properties"
    file.write_text(f"security.protocol=SASL_SSL\nsasl.jaas.config={module} {user} {secret};\n")
    step = PRODUCERS.steps(FULL, "kafka")[2]
    made = options(paths, FULL, None, tls.given("b1:9093", file)).inputs(step)
    assert "s3 cret" in made.driver.read_text()
    hidden = redact(made.driver.read_text())
    assert "s3" not in hidden
    assert "cret" not in hidden.replace("secret", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("security.protocol=SASL_PLAINTEXT\n", "security.protocol=SASL_PLAINTEXT is not encrypted"),
        ("\nssl.truststore.location\n", "client.properties:2: not a setting; write name=value"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "client.properties"
    file.write_text(text)
    with pytest.raises(BadInput, match=message):
        tls.given("b1:9093", file)
