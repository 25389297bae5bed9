# SPDX-License-Identifier: Apache-2.0
"""The start and end of episodes; noise is no episode."""

import random
from collections.abc import Callable

import pytest

from tailrace.explain.episodes import LONGEST_GAP_S, Second, find

SECONDS = 600
Shape = Callable[[int], float]


def stage(
    seed: int,
    p50: Shape = lambda _: 1,
    p99: Shape = lambda _: 1,
    noise: float = 0.3,
    spikes: float = 0,
) -> dict[int, Second]:
    """p50 around 2 ms, p99 around 15 ms; ``spikes``: share of seconds with a stall in them."""
    dice = random.Random(seed)
    seconds = {}
    for at in range(SECONDS):
        stall = dice.uniform(5, 50) if dice.random() < spikes else 1
        low = 2000 * p50(at) * dice.lognormvariate(0, noise / 3)
        high = 15_000 * p99(at) * dice.lognormvariate(0, noise) * stall
        seconds[at] = Second(low * min(stall, 3), max(low, high), 1000)
    return seconds


def spans(seconds: dict[int, Second], name: str = "publish") -> list[tuple[int, int]]:
    found = find({name: seconds}, 0, SECONDS)
    return [(episode.start, episode.end) for episode in found.episodes]


@pytest.mark.parametrize("noise", [0.05, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("spikes", [0, 0.01, 0.05, 0.1])
def test_noise_is_no_episode(noise: float, spikes: float) -> None:
    for seed in range(10):
        assert spans(stage(seed, noise=noise, spikes=spikes)) == []


def test_bad_seconds_outside_of_episodes_are_listed() -> None:
    def slow(at: int) -> float:
        return 30 if at in (100, 300, 301) or 200 <= at < 215 else 1

    seconds = stage(1, p99=slow)
    found = find({"publish": seconds}, 0, SECONDS)
    assert [(episode.start, episode.end) for episode in found.episodes] == [(200, 214)]
    assert [(one.start, one.end) for one in found.scattered] == [(100, 100), (300, 300), (301, 301)]
    assert [one.p99 for one in found.scattered] == [seconds[at].p99 for at in (100, 300, 301)]


@pytest.mark.parametrize("seed", range(10))
def test_a_standstill_of_a_second_is_an_episode(seed: int) -> None:
    def slow(at: int) -> float:
        return 30 if at in (100, 300, 301) else 1

    assert spans(stage(seed, p50=slow, p99=slow)) == [(100, 100), (300, 301)]


def test_one_slow_message_of_three_is_no_standstill() -> None:
    seconds = stage(1)
    few = {at: Second(second.p50, second.p99, 3) for at, second in seconds.items()}
    few[200] = Second(900_000, 900_000, 3)
    del few[300]
    assert spans(few) == []


@pytest.mark.parametrize("seed", range(10))
def test_an_episode_in_noise_is_found_to_the_second(seed: int) -> None:
    def slow(at: int) -> float:
        return 30 if 200 <= at < 215 else 1

    assert spans(stage(seed, p50=slow, p99=slow)) == [(200, 214)]
    # A neighbouring spike may extend it.
    ((start, end),) = spans(stage(seed, p50=slow, p99=slow, spikes=0.02))
    assert 200 - LONGEST_GAP_S <= start <= 200
    assert 214 <= end <= 214 + LONGEST_GAP_S


def test_ten_times_the_usual_is_an_episode_on_a_noisy_machine() -> None:
    """Half of the run is twice as slow as the other half, so the baseline has a wide spread."""

    def wander(at: int) -> float:
        return (1 if at // 60 % 2 else 3) * (12 if 430 <= at < 442 else 1)

    for seed in range(1, 6):
        found = spans(stage(seed, p99=wander, noise=0.5))
        assert found
        assert all(430 <= first <= last <= 441 for first, last in found)


def test_an_episode_longer_than_half_of_the_run() -> None:
    def slow(at: int) -> float:
        return 20 if 150 <= at < 500 else 1

    ((start, end),) = spans(stage(5, p50=slow, p99=slow))
    assert (start, end) == (150, 499)


def test_stalls_that_come_and_go_are_one_episode() -> None:
    def slow(at: int) -> float:
        return 40 if 300 <= at < 330 and at % 4 < 2 else 1

    assert spans(stage(6, p50=slow, p99=slow)) == [(300, 329)]


def test_a_long_episode_that_comes_and_goes() -> None:
    """The number of combinations of seconds exceeds a float."""
    seconds = {at: Second(2000, 450_000 if 600 <= at < 1800 and at % 2 else 15_000, 100) for at in range(2400)}
    (episode,) = find({"publish": seconds}, 0, 2400).episodes
    assert (episode.start, episode.end) == (601, 1799)


def test_the_tail_alone_may_leave_the_baseline() -> None:
    assert spans(stage(7, p99=lambda at: 20 if 100 <= at < 110 else 1)) == [(100, 109)]


def tail(slow: int, lasting: int = 4) -> dict[int, Second]:
    """100 messages a second; from 100 on, ``slow`` of them are 20 times as late as the p99."""
    dice = random.Random(7)
    seconds = {}
    for at in range(SECONDS):
        late = slow if 100 <= at < 100 + lasting else 0
        p90, p95, p99 = (
            (300_000 if late > above else usual) * dice.lognormvariate(0, 0.2)
            for usual, above in ((7000, 10), (9000, 5), (15_000, 1))
        )
        seconds[at] = Second(2000, p99, 100, p90, p95)
    return seconds


@pytest.mark.parametrize(("slow", "found"), [(2, []), (4, []), (6, [(100, 103)]), (20, [(100, 103)])])
def test_an_episode_needs_twenty_slow_messages(slow: int, found: list[tuple[int, int]]) -> None:
    assert spans(tail(slow)) == found


def test_a_slow_message_every_second_adds_up() -> None:
    assert spans(tail(2, lasting=19)) == []
    assert spans(tail(2, lasting=20)) == [(100, 119)]


def test_seconds_with_too_few_slow_messages_are_listed() -> None:
    found = find({"publish": tail(2)}, 0, SECONDS)
    assert [one.start for one in found.scattered] == [100, 101, 102, 103]


def test_at_a_low_rate_half_of_the_messages_are_enough() -> None:
    seconds = {at: Second(2000, 15_000, 3, 15_000, 15_000) for at in range(SECONDS)}
    seconds |= {at: Second(5000, 60_000, 3, 60_000, 60_000) for at in range(200, 205)}
    assert spans(seconds) == [(200, 204)]
    one_of_three = {at: Second(2000, 60_000, 3, 60_000, 60_000) for at in range(200, 205)}
    assert spans(seconds | one_of_three) == []


def test_seconds_without_an_answer_are_bad() -> None:
    seconds = stage(8)
    for at in range(250, 260):
        del seconds[at]
    assert spans(seconds) == [(250, 259)]


def test_few_messages_a_second_may_leave_seconds_empty() -> None:
    seconds = {at: Second(2000, 2000, 1) for at in range(0, SECONDS, 3)}
    assert spans(seconds) == []


def test_a_run_that_was_still_warming_up_is_reported() -> None:
    def warming(at: int) -> float:
        return 10 if at < 8 else 1

    found = find({"publish": stage(9, p50=warming, p99=warming)}, 0, SECONDS)
    assert (found.episodes, found.warming) == ([], (0, 7))


def test_slow_consumers_are_an_episode_of_their_stage() -> None:
    def slow(at: int) -> float:
        return 50 if 400 <= at < 420 else 1

    both = {"publish": stage(10), "end_to_end": stage(11, p50=slow, p99=slow)}
    (episode,) = find(both, 0, SECONDS).episodes
    assert (episode.stage, episode.start, episode.end) == ("end_to_end", 400, 419)


def test_a_slow_publish_is_one_episode() -> None:
    def slow(at: int) -> float:
        return 50 if 400 <= at < 420 else 1

    both = {name: stage(12, p50=slow, p99=slow) for name in ("publish", "end_to_end")}
    (episode,) = find(both, 0, SECONDS).episodes
    assert episode.stage == "publish"


def test_too_short_a_run_has_no_baseline() -> None:
    seconds = {at: Second(2000, 9000, 100) for at in range(5)}
    found = find({"publish": seconds}, 0, 5)
    assert (found.baselines, found.episodes) == ({}, [])
