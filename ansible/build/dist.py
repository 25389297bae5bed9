#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs what hosts of a laboratory get of this repository's build into .tailrace/dist.

kafka.tar      the broker's jars
loadgen.tar    the load generator, the tailrace command with what it reads, and its Python packages as wheels
loadgen.sha256 what names that build

Same sources, same bytes: a second deployment finds nothing to do. Run it by the Python of .tailrace/venv.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".tailrace"
DIST = HOME / "dist"
# What the command reads at work, beside its own code.
SOURCES = (
    "cli/tailrace",
    "queries",
    "schemas/migrations",
    "stack",
    "probes/nvme",
    "workloads",
    "experiments",
    "ansible/build/packages.sh",
)


def main() -> int:
    DIST.mkdir(parents=True, exist_ok=True)
    kafka = sorted((HOME / "kafka" / "libs").glob("*.jar"))
    pack(DIST / "kafka.tar", {f"libs/{jar.name}": jar for jar in kafka})
    requirements = DIST / "requirements.txt"
    requirements.write_text(runtime_lock(), encoding="utf-8")
    files = {name: ROOT / name for name in tracked()}
    built = HOME / "build" / "loadgen"
    jars = [built / "loadgen-0.1.0.jar", *sorted((built / "lib").glob("*.jar"))]
    files |= {f".tailrace/build/loadgen/{jar.relative_to(built)}": jar for jar in jars}
    files |= {f".tailrace/lib/uplot/{file.name}": file for file in sorted((HOME / "lib/uplot").iterdir())}
    files["requirements.txt"] = requirements
    files |= {f"wheels/{wheel.name}": wheel for wheel in wheels(requirements)}
    name = pack(DIST / "loadgen.tar", files)
    (DIST / "loadgen.sha256").write_text(f"{name}\n", encoding="ascii")
    print(f"packed in {DIST.relative_to(ROOT)}: {len(kafka)} jars of Kafka, {len(files)} files of the load generator")
    return 0


def tracked() -> list[str]:
    command = ["git", "ls-files", "-z", *SOURCES, ":!:*/tests/*"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def runtime_lock() -> str:
    """The part of cli/requirements.lock that the command needs at work, hashes and all."""
    project = tomllib.loads((ROOT / "cli" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed: set[str] = set()
    waiting = [plain(line) for line in project["dependencies"]]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            asked = metadata.requires(name) or []
            waiting += [plain(line) for line in asked if "extra ==" not in line and installed(plain(line))]
    text = (ROOT / "cli" / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(r"^[A-Za-z0-9][^\n]*(?:\n[ \t]+[^\n]*)*", text, re.M)
    kept = [entry for entry in entries if plain(entry) in needed]
    lacking = needed - {plain(entry) for entry in kept}
    if lacking:
        raise SystemExit(f"cli/requirements.lock lacks {', '.join(sorted(lacking))}")
    return "\n".join(kept) + "\n"


def plain(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name is not None, requirement
    return re.sub(r"[._-]+", "-", name[0]).lower()


def installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def wheels(requirements: Path) -> list[Path]:
    """Downloaded once for each state of the lock."""
    state = hashlib.sha256(requirements.read_bytes()).hexdigest()[:16]
    folder = DIST / f"wheels-{state}"
    if not (folder / "complete").exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        options = ["--require-hashes", "--only-binary", ":all:", "--dest", str(folder), "-r", str(requirements)]
        subprocess.run([*command, *options], check=True)
        (folder / "complete").touch()
    return sorted(folder.glob("*.whl"))


def pack(target: Path, files: dict[str, Path]) -> str:
    """Write a tar that depends on names and contents alone; its SHA-256. Left as it is when equal."""
    half = target.with_suffix(".new")
    with tarfile.open(half, "w", format=tarfile.PAX_FORMAT) as archive:
        for name, file in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = file.stat().st_size
            entry.mode = 0o755 if file.suffix == ".sh" else 0o644
            with file.open("rb") as content:
                archive.addfile(entry, content)
    with half.open("rb") as made:
        digest = hashlib.file_digest(made, "sha256").hexdigest()
    half.replace(target)
    return digest


if __name__ == "__main__":
    sys.exit(main())
