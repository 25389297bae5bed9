#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the clocks of two hosts of one network are apart, by questions over UDP.

clock_probe.py serve ADDRESS PORT SECONDS [SHIFT_US]   answers with its time; SHIFT_US is for tests
clock_probe.py ask ADDRESS PORT                        prints {"offset_us": …, "bound_us": …}

The answer was given at some moment of the round trip, so half of the shortest one bounds the error.
"""

import json
import socket
import struct
import sys
import time

ROUNDS = 40


def serve(address: str, port: int, seconds: float, shift_us: int = 0) -> None:
    end = time.monotonic() + seconds
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((address, port))
        while (left := end - time.monotonic()) > 0:
            server.settimeout(left)
            try:
                question, sender = server.recvfrom(64)
            except TimeoutError:
                return
            server.sendto(question + struct.pack(">q", time.time_ns() + shift_us * 1000), sender)


def ask(address: str, port: int, patience_s: float = 10) -> dict[str, float]:
    """``offset_us`` is the other's clock less ours. Raises TimeoutError without an answer."""
    end = time.monotonic() + patience_s
    best: tuple[int, float] | None = None
    answers = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(0.2)
        client.connect((address, port))
        while answers < ROUNDS:
            if time.monotonic() > end:
                raise TimeoutError(f"{address}:{port} does not answer")
            token = struct.pack(">q", time.monotonic_ns())
            asked, asked_at = time.monotonic_ns(), time.time_ns()
            try:
                client.send(token)
                while (answer := client.recv(64))[:8] != token:
                    pass
            except (TimeoutError, ConnectionRefusedError):
                time.sleep(0.05)
                continue
            trip = time.monotonic_ns() - asked
            (remote,) = struct.unpack(">q", answer[8:16])
            answers += 1
            if best is None or trip < best[0]:
                best = trip, remote - (asked_at + trip / 2)
    assert best is not None
    return {"offset_us": best[1] / 1000, "bound_us": best[0] / 2000}


if __name__ == "__main__":
    verb, where, port_text, *rest = sys.argv[1:]
    if verb == "serve":
        serve(where, int(port_text), float(rest[0]), *map(int, rest[1:]))
    else:
        print(json.dumps(ask(where, int(port_text))))
