# SPDX-License-Identifier: Apache-2.0
"""The runs beside the page of results are judged as the page states."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from click.testing import Result

from lab.stand.warehouse import Warehouse
from tailrace.api import REPO_ROOT, Endpoints, Experiment, cell, chosen, published

PAGE = REPO_ROOT / "docs" / "results" / "published-experiments.md"
TEXT = PAGE.read_text(encoding="utf-8")
SELF_TEST = "a self-test: the lab slows this drive"
# Experiments on the lab's drive: their runs are kept there, without their messages.
KEPT = ["2-long-run", "3-retention", "5-drive-limit", "6-backlog"]


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A warehouse without any other run."""
    with Warehouse(tmp_path_factory.mktemp("kept")) as started:
        yield started.endpoints


@pytest.mark.parametrize("experiment", chosen(published(REPO_ROOT), KEPT), ids=lambda e: e.name)
def test_a_kept_run_is_judged_as_on_its_page(tailrace: Callable[..., Result], experiment: Experiment) -> None:
    section = TEXT.split(f"\n## {experiment.name}, small, kafka\n")[1].split("\n## ")[0]
    folders = re.findall(r"\| (runs/[\w-]+) \|", section)
    assert folders
    for folder in folders:
        imported = tailrace("runs", "import", PAGE.parent / folder)
        assert imported.exit_code == 0, imported.output
    runs = ",".join(folder.removeprefix("runs/") for folder in folders)
    asked = ("query", experiment.verdict, "--param", f"runs={runs}", "--format", "json")
    done = tailrace(*asked)
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert rows
    verdicts = TEXT.split("\n## Verdicts\n")[1].split("\n## ")[0]
    for row in rows:
        cells = [*(row[name] for name in ("claim", "verdict", "authors")), f"{row['reason']}; {SELF_TEST}"]
        line = " | ".join(cell(word).replace("|", "\\|") for word in cells)
        assert f"| {experiment.name} | small | kafka | {line} |" in verdicts
