# SPDX-License-Identifier: Apache-2.0
"""What the lab adds to experiments: amounts are read, verdicts of all calls are summed."""

import stat
from pathlib import Path

import pytest
from faultlab import seeds
from faultlab.errors import LabError
from faultlab.journal import Journal

from tailrace.seeds.experiment import published
from tailrace.stack.paths import REPO_ROOT

SEEDS = published(REPO_ROOT)
SAID = "RESULT experiments=1 ran=1 holds=2 not=1 cannot_tell=0"


@pytest.mark.parametrize(
    ("text", "value"),
    [("200MB", 2e8), ("64kB", 64e3), ("120s", 120), (3000, 3000), ("1.5GB", 1.5e9)],
)
def test_amounts(text: object, value: float) -> None:
    assert seeds.amount(text) == value


def test_what_is_no_amount_is_named() -> None:
    with pytest.raises(LabError, match="'soon' is no amount"):
        seeds.amount("soon")


def test_verdicts_of_all_calls_are_summed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two experiments without a drive; of one of them the command dies."""
    command = tmp_path / "tailrace"
    command.write_text(f'#!/bin/sh\ncase "$2" in 0-fsync) echo "{SAID}" ;; *) exit 1 ;; esac\n')
    command.chmod(stat.S_IRWXU)
    monkeypatch.setattr(seeds, "COMMAND", str(command))
    told: list[str] = []
    with Journal(tmp_path / "lab") as journal:
        monkeypatch.setattr(journal, "guard", lambda: None)
        code = seeds.Seeds(journal, SEEDS, ["0-fsync", "1-producers"], None, told.append).run()
    assert code == 1
    assert told == ["RESULT experiments=2 ran=1 holds=2 not=1 cannot_tell=0"]
    assert SAID in capfd.readouterr().out
