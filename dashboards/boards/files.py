# SPDX-License-Identifier: Apache-2.0
"""Every generated file, by its path in this room."""

import json

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from boards.alerting import provisioned
from boards.board import assemble, unfolded
from boards.pages import FOLDERS


def made() -> dict[str, str]:
    """Path to text; the same text whenever it is made."""
    files: dict[str, str] = {}
    panels: dict[tuple[str, str], int] = {}
    for uid, folder in FOLDERS.items():
        document = assemble(uid)
        panels |= {(uid, each.title): each.id_val for each in unfolded(document["panels"])}
        text = json.dumps(document, cls=JSONEncoder, sort_keys=True, indent=2, ensure_ascii=False)
        files[f"json/{folder}/{uid}.json"] = text + "\n"
    files["provisioning/alerting/tailrace.yaml"] = provisioned(panels)
    return files
