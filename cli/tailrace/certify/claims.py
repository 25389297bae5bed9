# SPDX-License-Identifier: Apache-2.0
"""The claims, as claims.yaml declares them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import yaml

from tailrace.errors import BadInput
from tailrace.nearest import nearest

FOLDER = "workloads/certify"


@dataclass(frozen=True)
class Claim:
    """``claim``: the sentence that is checked. ``workload``: a file of workloads/certify/.

    ``driver``: properties by section of the driver file, which replace the user's. ``workers``: load generators; those
    without a producer may be struck. ``faults``: the kinds that strike, the first one first. ``transaction_versions``:
    the claim is tried once with each, where they can be set. ``companion``: a subcommand of the load generator that
    runs beside the load. ``query``: by default certify_NAME.

    ``needs``: names of the query certify_evidence that may not be zero. ``per_group``: a message is checked once for
    each group. ``excludes``: properties of a producer with which the claim cannot be tested, and why.
    """

    name: str
    claim: str
    workload: str
    driver: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    workers: int = 1
    faults: tuple[str, ...] = ()
    transaction_versions: tuple[int, ...] = ()
    companion: str = ""
    query: str = ""
    needs: tuple[str, ...] = ()
    per_group: bool = False
    excludes: Mapping[str, str] = field(default_factory=dict)


def all_claims() -> list[Claim]:
    """In the order of the file."""
    text = files("tailrace.certify").joinpath("claims.yaml").read_text("utf-8")
    return [_claim(entry) for entry in yaml.safe_load(text)]


def chosen(names: str | None) -> list[Claim]:
    """The claims that ``--claims`` names, all without it. Raises BadInput for an unknown name."""
    known = all_claims()
    if names is None:
        return known
    by_name = {claim.name: claim for claim in known}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in by_name:
            close = nearest(name, by_name, 1)
            hint = f"did you mean {close[0]}?" if close else f"it knows {', '.join(by_name)}"
            raise BadInput(f"--claims: no claim '{name}'; {hint}")
    if not wanted:
        raise BadInput(f"--claims: names none; it knows {', '.join(by_name)}")
    return [claim for claim in known if claim.name in wanted]


def _claim(entry: Mapping[str, Any]) -> Claim:
    given = {**entry, "driver": {name: _texts(values) for name, values in entry.get("driver", {}).items()}}
    given |= {name: tuple(entry.get(name, ())) for name in ("faults", "transaction_versions", "needs")}
    return Claim(**{"query": f"certify_{entry['name']}", **given})


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Values as properties files have them."""
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}
