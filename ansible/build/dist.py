#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs what hosts get of this build into .tailrace/dist (``make dist``):

kafka.tar      the broker's jars
brokeragent.tar the broker agent (kafka_request_rows)
loadgen.tar    the load generator, and the tailrace command and its Python packages as wheels
loadgen.sha256 what names that build

Same sources, same bytes: a second deployment finds nothing to do. Run it with the Python of .tailrace/venv.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".tailrace"
DIST = HOME / "dist"
LOCK = ROOT / "cli" / "requirements-run.lock"


def main() -> int:
    DIST.mkdir(parents=True, exist_ok=True)
    kafka = sorted((HOME / "kafka" / "libs").glob("*.jar"))
    pack(DIST / "kafka.tar", {f"libs/{jar.name}": jar for jar in kafka})
    agent = HOME / "build" / "brokeragent"
    jars = [agent / "agent" / "brokeragent.jar", agent / "shipping" / "shipping.jar", *agent.glob("*/lib/*.jar")]
    pack(DIST / "brokeragent.tar", {str(jar.relative_to(agent)): jar for jar in sorted(jars)})
    built = HOME / "build" / "loadgen"
    jars = [built / "loadgen.jar", *sorted((built / "lib").glob("*.jar"))]
    files = {f".tailrace/build/loadgen/{jar.relative_to(built)}": jar for jar in jars}
    files |= {f"wheels/{wheel.name}": wheel for wheel in [command(), *packages()]}
    files |= {f"workloads/payload/{file.name}": file for file in sorted((ROOT / "workloads/payload").iterdir())}
    files |= {"requirements.txt": LOCK, "packages.sh": ROOT / "ansible/build/packages.sh"}
    name = pack(DIST / "loadgen.tar", files)
    (DIST / "loadgen.sha256").write_text(f"{name}\n", encoding="ascii")
    print(f"packed in {DIST.relative_to(ROOT)}: {len(kafka)} jars of Kafka, {len(files)} files of the load generator")
    return 0


def command() -> Path:
    """The tailrace command as a wheel, with the files that it reads."""
    folder = DIST / "command"
    shutil.rmtree(folder, ignore_errors=True)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT / "cli", check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    return wheel


def packages() -> list[Path]:
    """The wheels that the command needs, downloaded once for each state of the lock file."""
    state = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]
    folder = DIST / f"wheels-{state}"
    if not (folder / "complete").exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        options = ["--require-hashes", "--only-binary", ":all:", "--dest", str(folder), "-r", str(LOCK)]
        subprocess.run([*pip, *options], check=True)
        (folder / "complete").touch()
    return sorted(folder.glob("*.whl"))


def pack(target: Path, files: dict[str, Path]) -> str:
    """Write a tar whose bytes depend on names and contents alone; return its SHA-256."""
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
