# SPDX-License-Identifier: Apache-2.0
"""Each broker's own drive: real loop devices where root allows, folders and a reason where not."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.stack import brokerdrives
from tailrace.stack.api import StackPaths, broker_facts


@pytest.fixture
def paths(tmp_path: Path) -> Iterator[StackPaths]:
    paths = replace(StackPaths.load({"TAILRACE_STATE": str(tmp_path / "state")}), brokers=3)
    paths.broker_data.mkdir(parents=True)
    yield paths
    assert brokerdrives.detach(paths) == []


def folders(paths: StackPaths) -> list[Path]:
    return [paths.broker_data / str(broker) for broker in paths.broker_ids]


def test_each_broker_has_its_own_drive_and_data_stays_on_it(paths: StackPaths) -> None:
    printed: list[str] = []
    brokerdrives.attach(paths, printed.append)
    if printed:
        pytest.skip(printed[0])
    for folder in folders(paths):
        (folder / "log").mkdir()
        (folder / "log" / "segment").write_text(folder.name)
    facts = broker_facts(paths)
    assert [broker["id"] for broker in facts] == [1, 2, 3]
    assert len({broker["log_device"] for broker in facts}) == 3
    assert {broker["drive"]["file_system"] for broker in facts} == {"ext4"}

    assert brokerdrives.detach(paths) == []
    assert not any(folder.is_mount() or list(folder.iterdir()) for folder in folders(paths))
    loops = [file.read_text() for file in Path("/sys/block").glob("loop*/loop/backing_file")]
    assert not any(str(paths.state) in line for line in loops)

    brokerdrives.attach(paths, printed.append)
    assert [(folder / "log" / "segment").read_text() for folder in folders(paths)] == ["1", "2", "3"]
    assert printed == []


def test_without_root_the_brokers_share_a_drive_and_one_line_states_it(
    paths: StackPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    printed: list[str] = []
    brokerdrives.attach(paths, printed.append)
    assert printed == ["the brokers share one drive: loop devices and mounts need root"]
    assert all(folder.is_dir() and not folder.is_mount() for folder in folders(paths))

    # Data of such a start is found again by root, in the same folders.
    (folders(paths)[0] / "formatted").touch()
    monkeypatch.undo()
    brokerdrives.attach(paths, printed.append)
    assert not folders(paths)[0].is_mount()
    plain_folders = "the brokers share one drive: their data is in plain folders since an earlier start"
    assert printed[1] in (printed[0], plain_folders)


def test_data_on_drives_is_never_hidden_by_empty_folders(paths: StackPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    (paths.broker_data / "1.img").touch()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(BadInput, match="need root; start as root, or tailrace reset"):
        brokerdrives.attach(paths, print)
