# SPDX-License-Identifier: Apache-2.0
"""Inventories: those in the repository, and the one that Terraform writes. No cloud is called."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from conftest import ANSIBLE

TERRAFORM = ANSIBLE / "terraform" / "aws"
GROUPS = {"brokers", "loaders", "observability"}
EXPRESSION = (
    'templatefile("inventory.tftpl", {groups = {brokers = ["broker1", "broker2", "broker3"],'
    ' loaders = ["client1", "client2"], observability = ["observability1"]}, hosts = {for name in ["broker1",'
    ' "broker2", "broker3", "client1", "client2", "observability1"] :'
    ' name => {public = "203.0.113.7", private = "10.20.1.7"}}})'
)


def listed(inventory: Path) -> dict[str, dict[str, object]]:
    done = subprocess.run(
        ["ansible-inventory", "-i", str(inventory), "--list"], cwd=ANSIBLE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, object]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(("name", "sizes"), [("one", (1, 1, 1)), ("three", (3, 2, 1)), ("aws", (3, 2, 1))])
def test_an_inventory_has_the_groups_that_the_playbooks_name(name: str, sizes: tuple[int, int, int]) -> None:
    found = listed(ANSIBLE / "inventories" / name)
    assert tuple(len(found[group]["hosts"]) for group in ("brokers", "loaders", "observability")) == sizes  # type: ignore[arg-type]


def test_playbooks_name_no_other_group() -> None:
    plays = [play for file in (ANSIBLE / "playbooks").glob("*.yml") for play in yaml.safe_load(file.read_text())]
    assert {play["hosts"] for play in plays if "hosts" in play} <= GROUPS | {"all"}


@pytest.fixture
def terraform() -> str:
    program = shutil.which("terraform")
    if program is None:
        pytest.skip("no terraform")
    return program


def test_terraform_is_formatted(terraform: str) -> None:
    done = subprocess.run([terraform, f"-chdir={TERRAFORM}", "fmt", "-check", "-diff"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_what_terraform_writes_is_an_inventory_of_ours(terraform: str, tmp_path: Path) -> None:
    shutil.copy(TERRAFORM / "inventory.tftpl", tmp_path)
    done = subprocess.run(
        [terraform, f"-chdir={tmp_path}", "console"],
        input=f"jsonencode({EXPRESSION})\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (tmp_path / "hosts.yml").write_text(json.loads(json.loads(done.stdout)))
    found = listed(tmp_path / "hosts.yml")
    assert {group: len(found[group]["hosts"]) for group in GROUPS} == {"brokers": 3, "loaders": 2, "observability": 1}  # type: ignore[arg-type]
    variables = found["_meta"]["hostvars"]["broker2"]  # type: ignore[index]
    assert (variables["ansible_host"], variables["tailrace_address"]) == ("203.0.113.7", "10.20.1.7")


def test_terraform_knows_every_resource_it_uses(terraform: str, tmp_path: Path) -> None:
    for file in TERRAFORM.glob("*.tf*"):
        shutil.copy(file, tmp_path)
    ready = subprocess.run(
        [terraform, f"-chdir={tmp_path}", "init", "-backend=false", "-input=false"], capture_output=True, text=True
    )
    if ready.returncode != 0:
        pytest.skip("the AWS provider cannot be had here")
    done = subprocess.run([terraform, f"-chdir={tmp_path}", "validate"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
