# SPDX-License-Identifier: Apache-2.0
"""NVMe SMART as a text file for node_exporter, from a stand-in for nvme-cli."""

import os
import signal
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tailrace.stack.paths import REPO_ROOT

SCRIPT = REPO_ROOT / "probes" / "nvme" / "smart.py"
# As `nvme smart-log -o json` and `nvme ocp smart-add-log -o json` write; the numbers are made up.
SMART_LOG = """{"critical_warning":0,"temperature":318,"avail_spare":100,"percent_used":7,
"data_units_read":1000,"data_units_written":2000,"controller_busy_time":3,"media_errors":0,"unsafe_shutdowns":"12",
"warning_temp_time":2,"critical_comp_time":0,"thm_temp1_trans_count":5,"thm_temp2_trans_count":1}"""
OCP_LOG = '{"Physical media units written":{"hi":0,"lo":3072000000},"PCIe correctable error":0}'
NVME = f"""#!/bin/sh
case "$1 $2" in
"smart-log /dev/nvme1") echo "Permission denied" >&2; exit 1 ;;
"smart-log "*) cat <<'END'
{SMART_LOG}
END
;;
"ocp smart-add-log") [ "$3" = /dev/nvme0 ] || exit 1; echo '{OCP_LOG}' ;;
*) exit 9 ;;
esac
"""


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    """nvme0 and nvme1 have one namespace each, nvme2 has two."""
    for space in ("nvme0/nvme0n1", "nvme1/nvme1n1", "nvme2/nvme2n1", "nvme2/nvme2n2"):
        (tmp_path / "sys" / space).mkdir(parents=True)
    return tmp_path / "sys"


def exposition(tmp_path: Path, sysfs: Path, with_cli: bool) -> list[str]:
    """What one reading writes, without comments; the program is stopped after it."""
    programs = tmp_path / "bin"
    programs.mkdir()
    if with_cli:
        (programs / "nvme").write_text(NVME, encoding="utf-8")
        (programs / "nvme").chmod(0o755)
    (programs / "cat").symlink_to("/bin/cat")
    file = tmp_path / "nvme.prom"
    process = subprocess.Popen(
        [sys.executable, SCRIPT, file, "60", sysfs],
        env=os.environ | {"PATH": str(programs)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(f"NVMe drives: {len(list(sysfs.glob('nvme*')))};")
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    process.stdout.close()
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line[0] != "#"]


def test_smart_and_write_amplification(tmp_path: Path, sysfs: Path) -> None:
    lines = exposition(tmp_path, sysfs, with_cli=True)
    nvme0 = '{controller="nvme0",device="nvme0n1"}'
    for line in (
        f"nvme_smart_temperature_celsius{nvme0} 45",
        f"nvme_smart_written_bytes_total{nvme0} 1024000000",
        f"nvme_smart_flash_written_bytes_total{nvme0} 3072000000",
        f"nvme_smart_unsafe_shutdowns_total{nvme0} 12",
        f"nvme_smart_heavy_throttles_total{nvme0} 1",
        'nvme_smart_up{controller="nvme0",device="nvme0n1",reason=""} 1',
        'nvme_smart_up{controller="nvme1",device="nvme1n1",reason="Permission denied"} 0',
        # Two namespaces: the counters are the whole controller's.
        'nvme_smart_written_bytes_total{controller="nvme2",device="nvme2"} 1024000000',
        "nvme_smart_drives 3",
    ):
        assert line in lines
    # Not an OCP drive: what it wrote to flash is unknown, not 0.
    assert not [line for line in lines if "flash" in line and "nvme2" in line]


def test_without_nvme_cli_every_drive_has_the_reason(tmp_path: Path, sysfs: Path) -> None:
    lines = exposition(tmp_path, sysfs, with_cli=False)
    assert [line for line in lines if line.startswith("nvme_smart_up")] == [
        f'nvme_smart_up{{controller="{c}",device="{d}",reason="nvme-cli is not installed"}} 0'
        for c, d in (("nvme0", "nvme0n1"), ("nvme1", "nvme1n1"), ("nvme2", "nvme2"))
    ]


def test_a_host_without_drives(tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()
    assert exposition(tmp_path, tmp_path / "sys", with_cli=True) == ["nvme_smart_drives 0"]


def test_each_metric_is_described_once_and_its_samples_stand_together(tmp_path: Path, sysfs: Path) -> None:
    exposition(tmp_path, sysfs, with_cli=True)
    text = (tmp_path / "nvme.prom").read_text(encoding="utf-8")
    helps = [line.split()[2] for line in text.splitlines() if line.startswith("# HELP")]
    samples = [line.partition("{")[0].split()[0] for line in text.splitlines() if line[0] != "#"]
    assert [name for name, _ in groupby(samples)] == helps
    assert len(helps) == len(set(helps))
