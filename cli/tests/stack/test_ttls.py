# SPDX-License-Identifier: Apache-2.0
"""The deployment's file of TTLs: read before anything starts, refused with file and line."""

import re
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.stack import ttls

KNOWN = ("publishes", "rollup_1s")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ttls.env"


def test_lines_are_read_and_comments_passed_over(file: Path) -> None:
    file.write_text("# all\n\npublishes=30d\nrollup_1s = none # for good\n", encoding="utf-8")
    assert ttls.read(file, KNOWN) == {"publishes": 30, "rollup_1s": None}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("publish=30d", "no TTL can be set for a table 'publish'; nearest: publishes"),
        ("publishes", "'' is not a TTL; write publishes=30d or publishes=none"),
        ("publishes=30", "'30' is not a TTL"),
        ("publishes=0d", "'0d' is not a TTL"),
        ("rollup_1s=7d", "rollup_1s is set twice"),
    ],
)
def test_a_bad_line_is_named_with_its_place(file: Path, line: str, words: str) -> None:
    file.write_text(f"rollup_1s=none\n{line}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=re.escape(f"{file}:2: ")) as error:
        ttls.read(file, KNOWN)
    assert words in str(error.value)


def test_a_missing_file_is_a_lack(file: Path) -> None:
    assert ttls.ttl_problems(file) == [f"{file}: No such file or directory; set TAILRACE_TTLS to a file of TTLs"]


def test_the_migrations_tell_the_tables(file: Path) -> None:
    tables = "publishes deliveries publish_failures rollup_1s host_metrics run_events"
    names = [*tables.split(), "partition_leaders"]
    file.write_text("".join(f"{name}=30d\n" for name in names), encoding="utf-8")
    assert ttls.ttl_problems(file) == []
    file.write_text("runs=30d\n", encoding="utf-8")
    assert "for a table 'runs'" in ttls.ttl_problems(file)[0]


def test_the_repositorys_own_file_is_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAILRACE_TTLS", raising=False)
    assert ttls.ttl_problems(ttls.ttls_file()) == []
