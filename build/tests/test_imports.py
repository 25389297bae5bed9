# SPDX-License-Identifier: Apache-2.0
"""The import check finds what a room may not import, and lets pass what it may."""

import importlib.util
from types import ModuleType

import pytest

from tailrace.api import REPO_ROOT


@pytest.fixture(scope="module")
def imports() -> ModuleType:
    spec = importlib.util.spec_from_file_location("imports_check", REPO_ROOT / "build" / "checks" / "imports.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(REPO_ROOT / "build" / "checks")
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("lab/chaos/load.py", "from tailrace.stack.paths import REPO_ROOT"),
        ("lab/chaos/load.py", "from tailrace import warehouse"),
        ("lab/chaos/load.py", "import lab.faults.drive"),
        ("lab/stand/program.py", "from lab.bench.machine import headline"),
        ("cli/tailrace/runs/flow.py", "from lab.stand.ports import free_port"),
        ("cli/tests/runs/test_plan.py", "from lab.faults import drive"),
        ("queries/tests/test_golden.py", "    import tailrace.queries.catalogue"),
        ("ansible/build/dist.py", "from tailrace.api import REPO_ROOT"),
    ],
)
def test_an_import_of_internals_is_named_with_its_line(imports: ModuleType, file: str, line: str) -> None:
    source = f"def call():\n    {line}\n" if not line.startswith(" ") else f"def call():\n{line}\n"
    [found] = imports.breaches(file, source)
    assert found.startswith(f"{file}:2: ")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("lab/chaos/load.py", "from tailrace.api import REPO_ROOT"),
        ("lab/chaos/load.py", "from lab.chaos import plan"),
        ("lab/chaos/load.py", "from lab.stand.stack import StackStand"),
        ("cli/tests/runs/test_plan.py", "from lab.simulated.model import Model"),
        ("cli/tailrace/runs/flow.py", "from tailrace.stack.paths import REPO_ROOT"),
        ("ansible/build/dist.py", "import subprocess"),
    ],
)
def test_a_public_import_passes(imports: ModuleType, file: str, line: str) -> None:
    assert imports.breaches(file, f"{line}\n") == []
