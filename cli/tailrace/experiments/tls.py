# SPDX-License-Identifier: Apache-2.0
"""Access to brokers over TLS: addresses and client settings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from tailrace.errors import BadInput
from tailrace.files import write_whole
from tailrace.stack.api import StackPaths

PROTOCOL = "security.protocol"


@dataclass(frozen=True)
class Access:
    """``servers`` with TLS, and client settings that override a driver file's ``commonConfig``."""

    servers: str
    settings: Mapping[str, str]


def local(paths: StackPaths) -> Access:
    """The one-machine stack's brokers; their certificate is created when they first start."""
    settings = {PROTOCOL: "SSL", "ssl.truststore.type": "PEM", "ssl.truststore.location": str(paths.broker_certificate)}
    return Access(paths.broker_servers("TLS_PORT"), settings)


def given(servers: str, file: Path | None) -> Access:
    """Brokers on other hosts; ``file`` is a Java properties file of client settings, one a line.

    Raises BadInput when it cannot be read, has a line without "=", or does not enable encryption.
    """
    if file is None:
        return Access(servers, {PROTOCOL: "SSL"})
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as err:
        raise BadInput(f"--tls-config {file}: {err}") from err
    found = {}
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise BadInput(f"{file}:{number}: not a setting; write name=value, one a line")
        found[name.strip()] = value.strip()
    settings = {PROTOCOL: "SSL", **found}
    if not settings[PROTOCOL].endswith("SSL"):
        raise BadInput(f"{file}: {PROTOCOL}={settings[PROTOCOL]} is not encrypted; write SSL or SASL_SSL")
    return Access(servers, settings)


class _Lines(yaml.SafeDumper):
    """Writes text of several lines unfolded, because secrets in a folded line are not recognised."""


_Lines.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
)


def driver(paths: StackPaths, file: Path, access: Access) -> Path:
    """A copy of the driver file with the settings, readable by the owner only, as it may have a password.

    Raises BadInput when ``file`` cannot be read.
    """
    try:
        text = yaml.safe_load(file.read_text(encoding="utf-8"))
        common = str(text.get("commonConfig", ""))
    except (OSError, yaml.YAMLError, AttributeError) as err:
        raise BadInput(f"{file}: not a driver file: {err}") from err
    kept = [line for line in common.splitlines() if line.partition("=")[0].strip() not in access.settings]
    added = [f"{name}={value}" for name, value in access.settings.items()]
    text["commonConfig"] = "\n".join([*kept, *added]) + "\n"
    made = paths.state / "experiments" / "tls" / file.name
    written = yaml.dump(text, None, _Lines, sort_keys=False, width=math.inf, allow_unicode=True)
    write_whole(made, written, private=True)
    return made
