# SPDX-License-Identifier: Apache-2.0
"""Every generated file, by its path in this room."""

import json

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from boards.alerting import provisioned
from boards.board import unfolded
from boards.pages import audit, brokers, compare, hosts, latency_drive, long_run, messages, pipeline, run

PAGES = {
    "runs": (long_run, run, latency_drive, messages, compare, audit),
    "systems": (brokers, hosts, pipeline),
}


def made() -> dict[str, str]:
    """Path to text; the same text whenever it is made."""
    files: dict[str, str] = {}
    panels: dict[tuple[str, str], int] = {}
    for folder, pages in PAGES.items():
        for page in pages:
            document = page.page()
            name = f"json/{folder}/{document['uid']}.json"
            panels |= {(document["uid"], each.title): each.id_val for each in unfolded(document["panels"])}
            files[name] = json.dumps(document, cls=JSONEncoder, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    files["provisioning/alerting/tailrace.yaml"] = provisioned(panels)
    return files
