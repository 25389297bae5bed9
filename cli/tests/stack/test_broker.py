# SPDX-License-Identifier: Apache-2.0
"""Whose broker it is."""

import pytest

from tailrace.stack.api import StackPaths, is_stack_broker


@pytest.mark.parametrize(
    ("servers", "own"),
    [
        ("127.0.0.1:PORT", True),
        ("localhost:PORT", True),
        ("PLAINTEXT://localhost:PORT", True),
        ("127.0.0.1:PORT, localhost:PORT", True),
        ("[::1]:PORT", True),
        ("127.0.0.1:1", False),
        ("127.0.0.1:PORT,192.0.2.1:PORT", False),
        ("192.0.2.1:PORT", False),
        ("host.invalid:PORT", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_the_stacks_broker_is_known_under_every_name(servers: str, own: bool) -> None:
    paths = StackPaths.load({})
    port = str(paths.ports["KAFKA_PORT"])
    assert is_stack_broker(paths, servers.replace("PORT", port)) is own
