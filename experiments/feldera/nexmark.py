#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of Nexmark's bid table, the same on every machine: as a text file, and packed into events of six sizes.

A row is a line of JSON of 151 to 218 bytes, 172 on average, as in the published study. An event is 28 bytes that the
load generator overwrites with its header, then whole rows: as many in each event of a size, so that a number of events
is a number of rows. Standard library only.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

SEED = 42
HEADER = 28
# Bytes of an event at most, and the rows in each.
EVENTS = {
    "256": (256, 1),
    "512": (512, 2),
    "1k": (1024, 5),
    "4k": (4096, 22),
    "64k": (65536, 370),
    "512k": (524288, 3000),
}
# Files of each size, of which messages are drawn; fewer of the large ones, for memory.
FILES = {"256": 512, "512": 256, "1k": 128, "4k": 64, "64k": 16, "512k": 8}
CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
LEAST, MEAN, MOST = 151, 172, 218
FIRST_MS = 1_700_000_000_000


def rows(seed: int) -> Iterator[bytes]:
    """Bids without end, a line each."""
    rng = random.Random(seed)
    at = FIRST_MS
    while True:
        at += rng.randrange(3)
        auction, bidder = 1000 + rng.randrange(100_000), 1000 + rng.randrange(1_000_000)
        price = int(10 ** (rng.random() * 6) * 100)
        # A third of the bids come from a known channel; the others have a longer name.
        named = rng.random() < 0.4
        channel = rng.choice(CHANNELS) if named else f"channel-{rng.randrange(10_000)}"
        url = (
            f"https://www.nexmark.com/item.htm?query=1&channel_id={rng.randrange(2**30)}"
            if not named
            else "https://n.com/i"
        )
        who = f'"auction":{auction},"bidder":{bidder},"price":{price}'
        head = f'{{{who},"channel":"{channel}","url":"{url}","date_time":{at},'
        extra = max(LEAST - len(head) - 12, int(rng.expovariate(1 / 6)))
        text = head + f'"extra":"{_letters(rng, max(0, min(extra, MOST - len(head) - 12)))}"}}'
        yield text.encode("ascii") + b"\n"


def _letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=count))


def events(name: str) -> Iterator[bytes]:
    """Events of one size; rows that would make one too large are drawn again."""
    limit, count = EVENTS[name]
    source = rows(SEED + limit)
    while True:
        body = b"".join(next(source) for _ in range(count))
        if HEADER + len(body) <= limit:
            yield bytes(HEADER) + body


def write_events(folder: Path) -> None:
    for name, count in FILES.items():
        own = folder / "events" / name
        made = list(own.glob("*.json"))
        # Files of an older version leave room for a shorter header.
        if len(made) == count and made[0].read_bytes().startswith(bytes(HEADER)):
            continue
        own.mkdir(parents=True, exist_ok=True)
        source = events(name)
        for number in range(count):
            (own / f"{number:04}.json").write_bytes(next(source))


def write_records(folder: Path, records: int) -> None:
    """Rows of one block over and over: what counts lines does not look into them."""
    file = folder / f"records-{records}.txt"
    source = rows(SEED)
    block = [next(source) for _ in range(min(records, 100_000))]
    wanted = sum(len(row) for row in block) * (records // len(block)) + sum(map(len, block[: records % len(block)]))
    if file.exists() and file.stat().st_size == wanted:
        return
    partial = file.with_suffix(".part")
    with partial.open("wb") as out:
        whole = b"".join(block)
        for _ in range(records // len(block)):
            out.write(whole)
        out.writelines(block[: records % len(block)])
    partial.replace(file)


def main() -> None:
    parser = argparse.ArgumentParser(description="makes the records and events that feldera's experiment reads")
    parser.add_argument("--out", type=Path, required=True, help="folder to make events/ and records-N.txt in")
    parser.add_argument("--records", type=int, required=True, help="rows in the text file")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    write_events(given.out)
    write_records(given.out, given.records)


if __name__ == "__main__":
    main()
