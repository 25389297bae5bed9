# SPDX-License-Identifier: Apache-2.0
"""The broker's own control group: made where it may be, and a sentence where it may not."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tailrace.stack.paths import REPO_ROOT

SCRIPT = REPO_ROOT / "stack" / "kafka" / "cgroup.sh"
UNPRIVILEGED_UID = 65534


def own_cgroup(state: Path, user: int | None = None) -> str:
    """What the function prints, then the process's cgroup."""
    done = subprocess.run(
        ["/bin/sh", "-euc", f". {SCRIPT}; own_cgroup broker; grep ^0: /proc/self/cgroup || :"],
        env={"PATH": os.environ["PATH"], "TAILRACE_STATE": str(state)},
        user=user,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_group_or_a_reason(tmp_path: Path) -> None:
    output = own_cgroup(tmp_path)
    run = tmp_path / "run" / "broker"
    if not (run / "cgroup").exists():
        assert any(reason in output for reason in ("no permission", "no cgroup2", "psi=1")), output
        assert not (run / "pressure").exists()
        return
    group = Path((run / "cgroup").read_text(encoding="utf-8").strip())
    try:
        assert output.rstrip().endswith(f"/{group.name}")
        for resource in ("cpu", "io", "memory"):
            stalls = (run / "pressure" / resource).read_text(encoding="utf-8")
            assert stalls.startswith("some avg10=")
    finally:
        group.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_user_without_rights_gets_the_reason(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    for folder in (state, *list(state.parents)[:-1]):
        if Path(tempfile.gettempdir()) in folder.parents:
            folder.chmod(0o777 if folder == state else 0o755)
    output = own_cgroup(state, UNPRIVILEGED_UID)
    assert "no permission" in output or "no cgroup2" in output
    assert not (state / "run" / "broker" / "pressure").exists()
