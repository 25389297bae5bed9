# SPDX-License-Identifier: Apache-2.0
"""Feldera's conclusions, judged from a grid of runs whose times are known."""

from collections.abc import Sequence
from typing import Any

from clickhouse_connect.driver.client import Client

from lab.simulated.reading_grid import BASELINES, SIZES, grid, published
from lab.simulated.trial import Trial, verdicts

# As many as the study's machine has threads, and as few as ours.
LARGE, SMALL = {"host": {"cpus": 128}}, {"host": {"cpus": 2}}
STUDY = (
    *("size_large", "size_256", "threads_large", "threads_small", "threads_growing"),
    *("threads_fourfold", "partitions_large", "partitions_small", "partitions_alone"),
    *("pool_one_partition", "pool_large", "pool_small", "pool_of_two", "wc_fastest"),
    "client_sizes",
)


def answers(client: Client, trials: Sequence[Trial]) -> dict[str, dict[str, Any]]:
    rows = verdicts(client, "verdict_read_to_end", trials)
    return {row["conclusion"]: row for row in rows}


def study(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: found[name]["study"] for name in STUDY}


def test_times_as_published_reproduce_each_conclusion(client: Client) -> None:
    kcat = {f"grid-{size}-1p": {"256": 13.5, "512": 5.0}.get(size, 2.0) for size in SIZES}
    more = {"experiment": {"baselines": {**BASELINES, "kcat": kcat}}, "system": "redpanda"}
    found = answers(client, grid(client, "as-published", published, **more, more=LARGE))
    assert study(found) == dict.fromkeys(STUDY, "reproduced")
    assert {found[name]["verdict"] for name in STUDY} == {"holds"}
    assert {found[name]["authors"] for name in STUDY} == {"holds"}
    size = found["size_256"]
    # Two numbers of partitions and four ways to thread.
    assert (size["cases"], size["published"]) == (8, "3 to 13 times")
    assert size["reason"] == "8 of 8 slower, 0 faster, 2.95 to 13.5 times, median 3.38"
    # Our own two are no conclusions of the study's: 2 s over 2 s, 27 s over 13.5 s.
    assert [(found[n]["verdict"], found[n]["study"]) for n in ("kcat_large", "kcat_256")] == [
        ("holds", ""),
        ("does not hold", ""),
    ]
    assert (found["kcat_256"]["least"], found["kcat_256"]["cases"]) == (2, 1)


def test_times_that_nothing_changes_contradict_them(client: Client) -> None:
    found = study(answers(client, grid(client, "flat", lambda *_place: 2.0, more=LARGE)))
    # An effect that is nowhere is generally little; wc and kcat were not measured.
    assert found.pop("partitions_large") == "reproduced"
    unknown = {name for name, word in found.items() if word == "cannot tell"}
    assert unknown == {"pool_of_two", "wc_fastest", "client_sizes"}
    assert {word for name, word in found.items() if name not in unknown} == {"contradicted"}


def test_the_other_way_round_is_contradicted(client: Client) -> None:
    kcat = {"grid-4k-1p": 8.0, "grid-1k-1p": 4.0, "grid-256-1p": 2.0}
    more = {"experiment": {"baselines": {"wc": 400.0, "kcat": kcat}}, "more": LARGE}
    turned = grid(client, "turned", lambda *place: 32 / published(*place), **more)
    found = study(answers(client, turned))
    assert set(found.values()) == {"contradicted", "reproduced"}
    # What is a toss-up is one in either direction.
    assert [name for name, word in found.items() if word == "reproduced"] == ["partitions_large"]


def test_two_processors_cannot_tell_of_a_fourfold_gain(client: Client) -> None:
    def halved(size: int, _partitions: int, threads: str) -> float:
        return 16 / (1 if threads == "one" else 2) * (256 / size)

    found = answers(client, grid(client, "two-cpus", halved, more=SMALL))
    row = found["threads_fourfold"]
    assert (row["study"], row["verdict"], row["median"]) == ("cannot tell", "cannot tell", 0.5)
    reason = "2 CPUs cannot make it four times as fast: 0 of 2 slower, 2 faster, 0.5 to 0.5 times"
    assert row["reason"].startswith(reason)
    four = answers(client, grid(client, "many-cpus", halved, more=LARGE))["threads_fourfold"]
    assert four["study"] == "contradicted"


def test_noisy_and_instant_runs_are_left_out(client: Client) -> None:
    trials = grid(client, "noisy-grid", published, steal=0.5)
    rows = answers(client, trials).values()
    assert {row["verdict"] for row in rows} == {"cannot tell"}
    assert {row["study"] for row in rows} == {"cannot tell", ""}
    assert next(iter(rows))["reason"].endswith("; 32 of 32 runs left out")
    assert len(verdicts(client, "runs_left_out", trials)) == 32
    instant = answers(client, grid(client, "instant", lambda *_place: 0.05)).values()
    assert {row["cases"] for row in instant} == {0}


def test_the_grid_has_a_row_per_place_beside_the_baselines(client: Client) -> None:
    trials = grid(client, "rows", published, experiment={"baselines": BASELINES})
    rows = verdicts(client, "read_to_end_grid", trials)
    assert len(rows) == len(trials)
    assert [(r["event_bytes"], r["partitions"], r["threads"]) for r in rows[:3]] == [
        (256, 1, "one"),
        (256, 1, "perPartition"),
        (256, 1, "pool 2"),
    ]
    assert (rows[0]["seconds"], rows[0]["wc_ratio"], rows[0]["kcat_ratio"]) == (27, 54, 6.75)
    assert rows[0]["rdkafka_ratio"] is None
