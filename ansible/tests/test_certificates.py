# SPDX-License-Identifier: Apache-2.0
"""The role pki's program: which hosts get a certificate, when it is renewed, and which users may read the key."""

import subprocess
from pathlib import Path

import pytest

from conftest import issue


def openssl(*arguments: str) -> str:
    return subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=True).stdout


def test_a_certificate_is_for_the_host_and_its_address(tmp_path: Path) -> None:
    assert issue(tmp_path, "lab1", "10.77.0.11", "90", "30") == "issued"
    text = openssl("x509", "-in", f"{tmp_path}/lab1.crt", "-noout", "-ext", "subjectAltName,extendedKeyUsage")
    assert "DNS:lab1, DNS:localhost, IP Address:10.77.0.11" in text
    assert "TLS Web Server Authentication, TLS Web Client Authentication" in text
    assert "OK" in openssl("verify", "-CAfile", f"{tmp_path}/ca.pem", f"{tmp_path}/lab1.crt")
    assert {file.stat().st_mode & 0o077 for file in tmp_path.iterdir()} == {0}


def test_one_that_is_good_stays(tmp_path: Path) -> None:
    issue(tmp_path, "lab1", "10.77.0.11", "90", "30")
    before = (tmp_path / "lab1.crt").read_bytes()
    assert issue(tmp_path, "lab1", "10.77.0.11", "90", "30") == ""
    assert (tmp_path / "lab1.crt").read_bytes() == before


@pytest.mark.parametrize("broken", ["key", "pem"])
def test_one_whose_rotation_was_cut_short_is_issued_again(tmp_path: Path, broken: str) -> None:
    """A key without its certificate would stop every service that reads both."""
    issue(tmp_path, "lab1", "10.77.0.11", "90", "30")
    issue(tmp_path, "other", "10.77.0.11", "90", "30")
    (tmp_path / f"lab1.{broken}").write_bytes((tmp_path / f"other.{broken}").read_bytes())
    assert issue(tmp_path, "lab1", "10.77.0.11", "90", "30") == "issued"
    assert issue(tmp_path, "lab1", "10.77.0.11", "90", "30") == ""


def test_it_is_renewed_before_it_ends_for_another_address_and_on_demand(tmp_path: Path) -> None:
    issue(tmp_path, "lab1", "10.77.0.11", "20", "10")
    authority = (tmp_path / "ca.pem").read_bytes()
    assert issue(tmp_path, "lab1", "10.77.0.11", "90", "30") == "issued"
    assert issue(tmp_path, "lab1", "10.77.0.12", "90", "30") == "issued"
    assert issue(tmp_path, "lab1", "10.77.0.12", "90", "30", "rotate") == "issued"
    assert (tmp_path / "ca.pem").read_bytes() == authority
