#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402 - Ansible needs the documentation first
"""Partitions a broker's drive, with over-provisioning, and never wipes what it does not own."""

from __future__ import annotations

DOCUMENTATION = r"""
module: drive
short_description: One partition for a broker on a whole drive
description:
  - Makes a GPT with one partition over a share of the drive; what is left over is the drive's own (over-provisioning).
  - A drive that holds anything else is refused, unless O(confirm_wipe) names it. Then nothing is changed at all.
author: The Tailrace authors
options:
  devices:
    description: Names of whole drives, such as V(nvme1n1).
    type: list
    elements: str
    required: true
  partition_percent:
    description: Share of the drive that the partition takes.
    type: int
    default: 100
  raid0:
    description: Whether the partitions are, or will be, one RAID-0. One of ours that holds the other is refused.
    type: bool
    default: false
  confirm_wipe:
    description: Drives whose content may be lost, by the same names.
    type: list
    elements: str
    default: []
  state:
    description: V(checked) looks only; V(absent) takes the partition away again, from confirmed drives.
    type: str
    choices: [present, checked, absent]
    default: present
"""

EXAMPLES = r"""
- name: Two drives, a tenth of each left to the drive
  tailrace.lab.drive:
    devices: [nvme1n1, nvme2n1]
    partition_percent: 90
"""

RETURN = r"""
partitions:
  description: Device of each drive's partition, in the order of O(devices); empty where there is none yet.
  returned: success
  type: list
  elements: str
"""

import json
import os
import re

from ansible.module_utils.basic import AnsibleModule

LABEL = "tailrace"
# What a partition of ours holds, by lsblk: without a RAID-0, and as part of one.
KINDS = {False: "xfs", True: "linux_raid_member"}


class Refused(Exception):
    """One line: what, where, remedy."""


def drives(run):
    """Whole drives of this host by name, as lsblk lists them and their children."""
    columns = "NAME,PATH,TYPE,SIZE,FSTYPE,MOUNTPOINT,RO"
    text = run(["lsblk", "--json", "--bytes", "--tree", "--output", columns])
    found = {d["name"]: d for d in json.loads(text)["blockdevices"] if d["type"] in ("disk", "loop")}
    for one in found.values():
        children = one.get("children") or []
        # Only one of ours has a single partition; lsblk knows its name only where udev runs.
        if len(children) == 1 and children[0]["type"] == "part":
            table = json.loads(run(["sfdisk", "--json", one["path"]]))["partitiontable"]
            children[0]["partlabel"] = table["partitions"][0].get("name", "")
    return found


def held(drive, probe):
    """What is on a drive that is not ours, in words; empty when nothing is. ``probe`` reads signatures."""
    children = drive.get("children") or []
    if ours(drive):
        return ""
    if drive.get("mountpoint"):
        return "it is mounted at " + drive["mountpoint"]
    for child in children:
        what = child.get("fstype") or child["type"]
        where = child.get("mountpoint")
        return "it has {} ({}){}".format(child["name"], what, ", mounted at " + where if where else "")
    signatures = probe(drive["path"])
    return "it has a signature of " + ", ".join(signatures) if signatures else ""


def ours(drive):
    children = drive.get("children") or []
    return len(children) == 1 and str(children[0].get("partlabel", "")).startswith(LABEL + "-")


def check(wanted, percent, raid0, confirmed, known, probe, host):
    """Raise Refused for the first drive that cannot be taken; the drives, in order, otherwise."""
    if not 10 <= percent <= 100:
        raise Refused(f"partition_percent: {percent} is not between 10 and 100")
    if len(set(wanted)) != len(wanted):
        raise Refused("{}: a drive is named twice: {}".format(host, ", ".join(wanted)))
    prepared = [name for name in wanted if name in known and ours(known[name])]
    if raid0 and set(prepared) & set(confirmed) and not set(prepared) <= set(confirmed):
        raise Refused(f"{host}: a RAID-0 is erased as a whole: -e '{{\"drives_confirm_wipe\": {json.dumps(wanted)}}}'")
    stray = [name for name in confirmed if name not in wanted]
    if stray:
        raise Refused(f"{host}: drives_confirm_wipe names {stray[0]}, which is not among the drives")
    for name in wanted:
        drive = known.get(name)
        if drive is None:
            have = ", ".join(sorted(known)) or "none"
            raise Refused(f"{host}: no drive {name}; there are: {have}")
        if drive.get("ro") in (True, "1", 1):
            raise Refused(f"{host}: drive {name} is read-only")
        found = held(drive, probe)
        if found and name not in confirmed:
            raise Refused(
                f'{host}: drive {name} holds data: {found}; to erase it: -e \'{{"drives_confirm_wipe": ["{name}"]}}\''
            )
        if ours(drive) and made_percent(drive) != percent and name not in confirmed:
            raise Refused(
                f"{host}: drive {name} was prepared with {made_percent(drive)} percent, not {percent}; "
                f'to format it: -e \'{{"drives_confirm_wipe": ["{name}"]}}\''
            )
        holds = ours(drive) and drive["children"][0].get("fstype")
        if holds and holds != KINDS[raid0] and name not in confirmed:
            raise Refused(
                f"{host}: drive {name} was prepared {'without' if raid0 else 'for'} a RAID-0 (it holds {holds}); "
                f"to format all: -e '{{\"drives_confirm_wipe\": {json.dumps(wanted)}}}'"
            )
    return [known[name] for name in wanted]


def made_percent(drive):
    """The share that a partition of ours was made with, by its label."""
    match = re.fullmatch(LABEL + r"-(\d+)", drive["children"][0]["partlabel"])
    return int(match[1]) if match else 0


def sectors(size_bytes, percent):
    """Length of the partition in sectors of 512 bytes: whole MiB, the first and the last MiB left free."""
    mib = size_bytes // (1 << 20)
    return min(mib * percent // 100, mib - 2) * 2048


class Drives:
    """The commands that look and change."""

    def __init__(self, module):
        self._module = module

    def run(self, command, data=None):
        _code, out, _err = self._module.run_command(command, check_rc=True, data=data)
        return out

    def signatures(self, path):
        out = self.run(["wipefs", "--no-act", "--json", path])
        found = json.loads(out)["signatures"] if out.strip() else []
        return sorted({signature["type"] for signature in found})

    def clear(self, drive):
        for child in drive.get("children") or []:
            if child.get("mountpoint"):
                raise Refused("drive {}: {} is still mounted".format(drive["name"], child["name"]))
            self.run(["wipefs", "--all", child["path"]])
        if drive.get("children"):
            self.run(["partx", "--delete", drive["path"]])
        self.run(["wipefs", "--all", drive["path"]])

    def partition(self, drive, percent):
        length = sectors(int(drive["size"]), percent)
        script = f"label: gpt\nstart=2048, size={length}, name={LABEL}-{percent}\n"
        # What an earlier partition at the same place held would show again.
        wipe = ["--wipe", "always", "--wipe-partitions", "always"]
        self.run(["sfdisk", "--quiet", *wipe, drive["path"]], data=script)
        # Not every kernel reads a new table automatically.
        self.run(["partx", "--update", drive["path"]])
        if os.path.exists("/run/udev"):
            self.run(["udevadm", "settle"])


def partitions(run, names):
    now = drives(run)
    return [(now[name].get("children") or [{"path": ""}])[0]["path"] for name in names]


def main():
    module = AnsibleModule(
        argument_spec={
            "devices": {"type": "list", "elements": "str", "required": True},
            "partition_percent": {"type": "int", "default": 100},
            "raid0": {"type": "bool", "default": False},
            "confirm_wipe": {"type": "list", "elements": "str", "default": []},
            "state": {"type": "str", "choices": ["present", "checked", "absent"], "default": "present"},
        },
        supports_check_mode=True,
    )
    names, percent = module.params["devices"], module.params["partition_percent"]
    confirmed, state = module.params["confirm_wipe"], module.params["state"]
    work = Drives(module)
    try:
        host = os.uname().nodename
        found = check(names, percent, module.params["raid0"], confirmed, drives(work.run), work.signatures, host)
        if state == "absent":
            changing = [drive for drive in found if drive["name"] in confirmed and drive.get("children")]
        else:
            changing = [drive for drive in found if not ours(drive) or drive["name"] in confirmed]
        act = state != "checked" and not module.check_mode
        for drive in changing if act else []:
            work.clear(drive)
            if state == "present":
                work.partition(drive, percent)
        module.exit_json(changed=state != "checked" and bool(changing), partitions=partitions(work.run, names))
    except Refused as err:
        module.fail_json(msg=str(err))


if __name__ == "__main__":
    main()
