# SPDX-License-Identifier: Apache-2.0
"""The warehouse's password is made once, belongs to its owner alone, and is never shown."""

import stat
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.stack.api import Endpoints, StackPaths
from tailrace.stack.secrets import ensure_secrets, read_secrets


def test_made_once_and_private(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "warehouse.env"
    first = ensure_secrets(file)
    assert first == ensure_secrets(file)
    assert first["WAREHOUSE_USER"] == "tailrace"
    assert len(first["WAREHOUSE_PASSWORD"]) == 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert ensure_secrets(tmp_path / "other" / "warehouse.env") != first


@pytest.mark.parametrize("text", ["", "WAREHOUSE_USER=x\n", "WAREHOUSE_USER=x\nWAREHOUSE_PASSWORD=\n"])
def test_a_damaged_file_names_the_remedy(tmp_path: Path, text: str) -> None:
    file = tmp_path / "warehouse.env"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="delete the file"):
        read_secrets(file)


def test_endpoints_hide_the_password_and_follow_the_environment(tmp_path: Path) -> None:
    paths = StackPaths.load({"TAILRACE_STATE": str(tmp_path)})
    with pytest.raises(BadInput, match="tailrace up"):
        Endpoints.load(paths, {})
    password = ensure_secrets(paths.secrets_file)["WAREHOUSE_PASSWORD"]
    local = Endpoints.load(paths, {})
    assert local.warehouse_password == password
    assert password not in repr(local)
    assert local.warehouse_url == f"http://127.0.0.1:{paths.ports['WAREHOUSE_PORT']}"
    assert local.bootstrap_servers == f"127.0.0.1:{paths.ports['KAFKA_PORT']}"
    elsewhere = Endpoints.load(
        paths,
        {
            "TAILRACE_WAREHOUSE_URL": "http://db:8123/",
            "TAILRACE_WAREHOUSE_USER": "reader",
            "TAILRACE_WAREHOUSE_PASSWORD": "open",
            "TAILRACE_VM_URL": "http://vm:8428",
            "TAILRACE_OTLP_URL": "http://otlp:4318",
        },
    )
    assert elsewhere.warehouse_url == "http://db:8123"
    assert (elsewhere.warehouse_user, elsewhere.warehouse_password) == ("reader", "open")
    assert elsewhere.victoriametrics_url == "http://vm:8428"
    assert elsewhere.otlp_url == "http://otlp:4318"
