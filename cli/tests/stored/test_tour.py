# SPDX-License-Identifier: Apache-2.0
"""The commands of the tour print what the page shows."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from lab.stand.warehouse import Warehouse
from tailrace.stack.api import Endpoints
from tailrace.stack.paths import REPO_ROOT

DOCS = REPO_ROOT / "docs"
TOUR = (DOCS / "TOUR.md").read_text(encoding="utf-8")
# A command, and what it printed.
SHOWN = re.findall(r"```sh\n(tailrace [^\n]+)\n```\n\n```text\n(.*?)\n```", TOUR, re.DOTALL)
# Of the others the page shows some columns.
WHOLE = ("latency_percentiles", "latency_by_broker", "explain")


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A warehouse without any other run, as at the start of the tour."""
    with Warehouse(tmp_path_factory.mktemp("tour")) as started:
        yield started.endpoints


def test_every_step_prints_what_the_page_shows(tailrace: Callable[..., Result]) -> None:
    (folder,) = re.findall(r"tailrace runs import (\S+)", TOUR)
    imported = tailrace("runs", "import", REPO_ROOT / folder)
    assert imported.exit_code == 0, imported.output
    assert len(SHOWN) == 5
    for command, shown in SHOWN:
        done = tailrace(*shlex.split(command)[1:])
        assert done.exit_code == 0, done.output
        printed = [line.rstrip() for line in done.output.strip("\n").splitlines()]
        if any(name in command for name in WHOLE):
            assert printed == shown.splitlines(), command
        else:
            columns, printed_columns = shown.splitlines()[0].split(), printed[0].split()
            assert set(columns) <= set(printed_columns), command


def test_pictures_and_links_are_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TOUR):
        assert (DOCS / Path(target)).exists(), target
