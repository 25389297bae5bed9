# SPDX-License-Identifier: Apache-2.0
"""Which writes a power cut leaves."""

import random
from pathlib import Path

import pytest

from lab.powercut.writelog import PIECE, Mark, Writer, image_at

A, B, C, D = (bytes([letter]) * PIECE for letter in b"abcd")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    writer = Writer(tmp_path / "log")
    writer.write(0, memoryview(A))
    writer.flush()
    writer.write(PIECE, memoryview(B + B))
    writer.cut(0)
    writer.write(0, memoryview(C))
    writer.flush()
    writer.write(0, memoryview(D))
    writer.cut(1)
    return tmp_path / "log"


def image(log: Path, cut: int, share: float, seed: int = 1, flushes: int = 0) -> bytes:
    path = log.with_name("image")
    path.write_bytes(bytes(3 * PIECE))
    image_at(log, Mark(cut, flushes), path, share, random.Random(seed))
    return path.read_bytes()


def test_only_what_was_flushed_is_sure(log: Path) -> None:
    assert image(log, 0, 0.0) == A + bytes(2 * PIECE)
    assert image(log, 1, 0.0) == C + B + B


def test_a_cut_is_just_before_the_next_flush(log: Path) -> None:
    assert image(log, 0, 1.0) == C + B + B
    assert image(log, 0, 0.0, flushes=1) == C + B + B
    assert image(log, 0, 1.0, flushes=1) == D + B + B
    assert image(log, 0, 1.0, flushes=9) == D + B + B


def test_each_piece_may_be_kept_alone(log: Path) -> None:
    found = {image(log, 0, 0.5, seed) for seed in range(60)}
    assert found == {
        first + second + third for first in (A, C) for second in (bytes(PIECE), B) for third in (bytes(PIECE), B)
    }


def test_a_cut_that_was_not_made(log: Path) -> None:
    with pytest.raises(ValueError, match="no cut 2"):
        image(log, 2, 0.0)
