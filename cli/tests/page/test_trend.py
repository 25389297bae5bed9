# SPDX-License-Identifier: Apache-2.0
"""The trend test gives the values that the load generator's gives, and is rarely wrong about noise."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from tailrace.page.trend import trend

VECTORS = json.loads((Path(__file__).parents[3] / "testdata" / "trends.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_trend_is_the_one_of_both_languages(vector: dict[str, Any]) -> None:
    found = trend(vector["values"])
    assert found.z == pytest.approx(vector["z"], abs=1e-6)
    assert (found.first, found.second) == (vector["first"], vector["second"])
    assert found.moves(0.1) == vector["moves_by_10_percent"]


def test_white_noise_moves_in_one_of_a_hundred_series_at_most() -> None:
    dice = random.Random(11)
    wrong = sum(trend([math.exp(dice.gauss(0, 0.15)) for _ in range(60)]).moves(0.1) for _ in range(1000))
    assert wrong <= 10


def test_a_decay_is_found_under_noise() -> None:
    dice = random.Random(12)
    found = sum(
        trend([(1 + math.exp(-i / 15)) * math.exp(dice.gauss(0, 0.15)) for i in range(60)]).moves(0.1)
        for _ in range(200)
    )
    assert found >= 190
