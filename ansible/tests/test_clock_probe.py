# SPDX-License-Identifier: Apache-2.0
"""Two clocks on one machine: apart by nothing, or by what one of them pretends."""

import json
import socket
import subprocess
import sys

import pytest

from conftest import ANSIBLE

PROBE = ANSIBLE / "roles" / "common" / "files" / "clock_probe.py"


def measured(shift_us: int) -> dict[str, float]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with subprocess.Popen([sys.executable, PROBE, "serve", "127.0.0.1", port, "60", str(shift_us)]) as server:
        try:
            asked = [sys.executable, str(PROBE), "ask", "127.0.0.1", port]
            done = subprocess.run(asked, capture_output=True, text=True, check=True)
        finally:
            server.kill()
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("shift_us", [0, 5_000, -40_000])
def test_the_truth_is_within_the_bound(shift_us: int) -> None:
    found = measured(shift_us)
    assert abs(found["offset_us"] - shift_us) <= found["bound_us"] + 1
