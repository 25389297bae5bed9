# SPDX-License-Identifier: Apache-2.0
"""No secret of a driver file is stored, and nothing else is changed."""

import json

import pytest

from tailrace.runs.redact import redact
from tailrace.stack.paths import REPO_ROOT

# The plan hides the same names: the load generator's tests read this file too.
NAMES = json.loads((REPO_ROOT / "testdata" / "secret_names.json").read_text(encoding="utf-8"))

DRIVER = """\
name: kafka
driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
# sasl.password=Hunter1-in-a-comment
replicationFactor: 3
commonConfig: |
  bootstrap.servers=broker:9092
  security.protocol=SASL_SSL
  ssl.keystore.location=/etc/keys/client.jks
  ssl.keystore.password=Hunter2-keystore
  ssl.key.password = Hunter3 with blanks
  ssl.keystore.key=-----BEGIN Hunter4-----\\
    MIIHunter5\\
    Hunter6
  sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\
    username="me" \\
    password="Hunter7";
  compression.type=lz4
producerConfig: "acks=all\\nsasl.jaas.config=x required password=\\"Hunter 8\\";\\nlinger.ms=1"
schemaRegistry:
  url: https://me:Hunter9@registry:8081/path
  password: >-
    Hunter10
    Hunter11
  apiKey: 'Hunter12'
  keys: {secret: Hunter13, "client-token": "Hunter14", region: eu}
topicConfig: |
  min.insync.replicas=2
  key.serializer=kept
"""


def test_no_secret_is_left() -> None:
    assert "unter" in DRIVER
    assert "unter" not in redact(DRIVER)


def test_the_rest_is_left_as_it_was() -> None:
    redacted = redact(DRIVER).splitlines()
    kept = [line for line in DRIVER.splitlines() if line in redacted]
    assert kept == [line for line in redacted if "***" not in line]
    for line in (
        "  ssl.keystore.location=/etc/keys/client.jks",
        "  compression.type=lz4",
        "  min.insync.replicas=2",
        "  key.serializer=kept",
        "  ssl.keystore.password=***",
        "  url: https://me:***@registry:8081/path",
        "  password: ***",
        '  keys: {secret: ***, "client-token": ***, region: eu}',
    ):
        assert line in redacted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name: smoke\n",
        "producerRate: 1000\nkeyDistributor: KEY_ROUND_ROBIN\n",
        "consumerConfig: |\n  auto.offset.reset=earliest\n\n  isolation.level=read_committed",
    ],
)
def test_text_without_secrets_is_unchanged(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("name", NAMES["secret"])
def test_a_secret_name_hides_its_value_in_either_form(name: str) -> None:
    hidden = redact(f"commonConfig: |\n  {name}=Hunter2\n{name}: Hunter3\n")
    assert name in hidden
    assert "Hunter" not in hidden
    varied = redact(f"vary:\n  - driver.commonConfig.{name}: [Hunter4, Hunter5]\n")
    assert "Hunter" not in varied


@pytest.mark.parametrize("name", NAMES["open"])
def test_any_other_name_hides_nothing(name: str) -> None:
    text = f"commonConfig: |\n  {name}=seen\n"
    assert redact(text) == text
