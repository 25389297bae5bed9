#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes payload-1Kb.data again, byte for byte: a JSON document as services send each other, cut at 1024 bytes."""

import random
import string
from pathlib import Path

BYTES = 1024
SEED = 42
EVENTS = ["view", "search", "add_to_cart", "checkout", "refund"]
COUNTRIES = ["AT", "BR", "CA", "DE", "FR", "IN", "JP", "KE", "US", "ZA"]


def event(rng: random.Random) -> str:
    """One JSON object of about 170 bytes: repeated field names, values of which about half are random."""
    session = "".join(rng.choices(string.ascii_lowercase + string.digits, k=32))
    return (
        f'{{"event":"{rng.choice(EVENTS)}","country":"{rng.choice(COUNTRIES)}",'
        f'"user":{rng.randrange(10**9):09d},"session":"{session}",'
        f'"price":{rng.randrange(10**5) / 100:.2f},"at":{1_700_000_000_000 + rng.randrange(10**9)}}}\n'
    )


def main() -> None:
    rng = random.Random(SEED)
    text = ""
    while len(text) < BYTES:
        text += event(rng)
    Path(__file__).with_name("payload-1Kb.data").write_bytes(text[:BYTES].encode("ascii"))


if __name__ == "__main__":
    main()
