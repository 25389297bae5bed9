# SPDX-License-Identifier: Apache-2.0
"""Hosts of the test: one Debian image, and of it three systemd containers on a bridge of their own.

Everything is inside a network namespace that the test makes and removes: no packet leaves it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

NAMES = ("lab1", "lab2", "lab3")
NETWORK = "10.77.0"
CONTROLLER = f"{NETWORK}.1"
BRIDGE = "lab0"
PROGRAMS = ("debootstrap", "systemd-nspawn", "ip", "nsenter", "ssh", "ssh-keygen", "java")
PACKAGES = (
    "systemd,systemd-sysv,dbus,openssh-server,python3,python3-apt,python3-venv,iproute2,procps,"
    "chrony,fdisk,nvme-cli,openssl,util-linux,xfsprogs"
)
JVM = "/usr/lib/jvm/java-17-openjdk-amd64"
SHARED = (JVM, "/etc/java-17-openjdk")
START_S = 300.0


def address(name: str) -> str:
    return f"{NETWORK}.{11 + NAMES.index(name)}"


def missing_tool() -> str:
    """Why the test cannot run on this machine; empty when it can."""
    if os.geteuid() != 0:
        return "it needs root"
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"no {', '.join(missing)}; apt install debootstrap systemd-container iproute2 openssh-client"
    if not all(Path(folder).exists() for folder in SHARED):
        return f"no JDK at {JVM}; apt install openjdk-17-jdk-headless"
    return ""


class Hosts:
    """Started by ``start``; ``stop`` leaves nothing but the image."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = folder / "ssh" / "key"
        self.known = folder / "ssh" / "known_hosts"
        self._base = folder / "base"
        self._net = f"tailrace-{os.getpid()}"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def inside(self, *command: str) -> list[str]:
        """The command as it runs on the deployment's network."""
        return ["nsenter", f"--net=/run/netns/{self._net}", *command]

    def ssh(self, name: str, command: str, check: bool = True) -> str:
        """What the command prints on a host; root's shell runs it."""
        options = ["-i", str(self.key), "-o", f"UserKnownHostsFile={self.known}", "-o", "BatchMode=yes"]
        done = subprocess.run(
            self.inside("ssh", *options, f"root@{address(name)}", command), capture_output=True, text=True, check=False
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"{name}: {command}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def start(self) -> None:
        self._make_image()
        self._make_key()
        _run("ip", "netns", "add", self._net)
        for command in (
            ("ip", "link", "set", "lo", "up"),
            ("ip", "link", "add", BRIDGE, "type", "bridge"),
            ("ip", "address", "add", f"{CONTROLLER}/24", "dev", BRIDGE),
            ("ip", "link", "set", BRIDGE, "up"),
        ):
            _run(*self.inside(*command))
        for name in NAMES:
            self._boot(name)
        deadline = time.monotonic() + START_S
        for name in NAMES:
            while not self._answers(name):
                if self._processes[name].poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{name} did not come up; see {self.folder / name}.log")
                time.sleep(0.2)

    def stop(self) -> None:
        for process in self._processes.values():
            # What systemd in a container takes for: halt.
            process.terminate()
        for name, process in self._processes.items():
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            subprocess.run(["umount", "--lazy", str(self.folder / name / "root")], check=False, capture_output=True)
            shutil.rmtree(self.folder / name, ignore_errors=True)
        subprocess.run(["ip", "netns", "delete", self._net], check=False, capture_output=True)

    def _make_image(self) -> None:
        done = self._base.with_suffix(".complete")
        if done.exists() and done.read_text() == PACKAGES:
            return
        shutil.rmtree(self._base, ignore_errors=True)
        self._base.parent.mkdir(parents=True, exist_ok=True)
        mirror = _run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").split()[0]
        _run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(self._base), mirror)
        (self._base / "etc/apt/sources.list").write_text("")
        done.write_text(PACKAGES)

    def _make_key(self) -> None:
        self.key.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self.key.exists():
            _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.key))
        host = (self._base / "etc/ssh/ssh_host_ed25519_key.pub").read_text()
        self.known.write_text("".join(f"{address(name)} {host}" for name in NAMES))

    def _boot(self, name: str) -> None:
        place = self.folder / name
        # Of a test that was killed.
        subprocess.run(["umount", "--lazy", str(place / "root")], check=False, capture_output=True)
        shutil.rmtree(place, ignore_errors=True)
        for part in ("upper", "work", "root"):
            (place / part).mkdir(parents=True)
        _write(place / "upper/etc/hostname", f"{name}\n")
        _write(place / "upper/root/.ssh/authorized_keys", self.key.with_suffix(".pub").read_text())
        _write(
            # Before 80-container-host0, which asks for a lease.
            place / "upper/etc/systemd/network/10-lab.network",
            f"[Match]\nName=host0\n[Network]\nAddress={address(name)}/24\nLinkLocalAddressing=no\n",
        )
        wanted_by = place / "upper/etc/systemd/system/multi-user.target.wants/systemd-networkd.service"
        wanted_by.parent.mkdir(parents=True)
        wanted_by.symlink_to("/lib/systemd/system/systemd-networkd.service")
        layers = f"lowerdir={self._base},upperdir={place / 'upper'},workdir={place / 'work'}"
        _run("mount", "-t", "overlay", "overlay", "-o", layers, str(place / "root"))
        command = [
            *("systemd-nspawn", "--quiet", f"--directory={place / 'root'}", f"--machine={name}-{os.getpid()}"),
            *(f"--hostname={name}", "--register=no", "--keep-unit", "--boot", f"--network-bridge={BRIDGE}"),
            *("--console=read-only", *(f"--bind-ro={folder}" for folder in SHARED)),
        ]
        with (self.folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                self.inside(*command), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )

    def _answers(self, name: str) -> bool:
        """Whether SSH lets the test in; asked from inside, for the test itself is not on that network."""
        try:
            return self.ssh(name, "echo up").strip() == "up"
        except RuntimeError:
            return False


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    path.write_text(text)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout
