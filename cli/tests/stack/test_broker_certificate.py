# SPDX-License-Identifier: Apache-2.0
"""The certificate that the broker's start makes for its listener with TLS."""

import shutil
import ssl
import stat
import subprocess
from pathlib import Path

import pytest

from tailrace.stack.api import StackPaths
from tailrace.stack.paths import REPO_ROOT

SCRIPT = REPO_ROOT / "stack" / "kafka" / "certificate.sh"


def make(state: Path) -> Path:
    """The folder of its files."""
    subprocess.run(
        ["sh", "-euc", f". {SCRIPT}; own_certificate"],
        env={"PATH": "/usr/bin:/bin", "TAILRACE_STATE": str(state)},
        check=True,
        capture_output=True,
    )
    return state / "secrets" / "kafka-tls"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("keytool", path="/usr/bin:/bin") is None:
        pytest.skip("keytool is not in /usr/bin")
    return make(tmp_path_factory.mktemp("state"))


def accepted(folder: Path, name: str, trusted: Path) -> bool:
    """Whether a client that asks for ``name`` and trusts that file ends the handshake."""
    key = folder.parent / "key.pem"
    store, password = folder / "broker.p12", folder / "password"
    command = ["openssl", "pkcs12", "-in", store, "-passin", f"file:{password}", "-noenc"]
    subprocess.run([*command, "-out", key], check=True, capture_output=True)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(key)
    client = ssl.create_default_context(cafile=str(trusted))
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(to_client, to_server, server_hostname=name)
    theirs = server.wrap_bio(to_server, to_client, server_side=True)
    try:
        for side in (ours, theirs, ours, theirs):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    except ssl.SSLCertVerificationError:
        return False
    return ours.version() is not None


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_clients_that_trust_it_find_the_broker(folder: Path, name: str) -> None:
    assert accepted(folder, name, folder / "broker.pem")


def test_under_another_name_it_is_not_believed(folder: Path) -> None:
    assert not accepted(folder, "192.0.2.1", folder / "broker.pem")


def test_another_stack_has_another(folder: Path, tmp_path: Path) -> None:
    assert not accepted(folder, "localhost", make(tmp_path) / "broker.pem")


def test_it_is_made_once_and_for_its_owner_alone(folder: Path) -> None:
    before = (folder / "broker.pem").read_bytes()
    assert make(folder.parents[1]) == folder
    assert (folder / "broker.pem").read_bytes() == before
    modes = {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    assert (modes, stat.S_IMODE(folder.stat().st_mode)) == ({0o600}, 0o700)


def test_an_interrupted_start_is_made_good(folder: Path, tmp_path: Path) -> None:
    half = tmp_path / "secrets" / "kafka-tls"
    half.mkdir(parents=True)
    (half / "broker.p12").write_bytes(b"cut off")
    assert accepted(make(tmp_path), "localhost", half / "broker.pem")


def test_it_lies_where_clients_look(folder: Path) -> None:
    state = folder.parents[1]
    paths = StackPaths.load({"TAILRACE_STATE": str(state)})
    assert paths.broker_certificate == folder / "broker.pem"
