# SPDX-License-Identifier: Apache-2.0
"""The fault lab is no part of the command: its folder is not on the path by itself."""

import sys

from tailrace.stack.paths import REPO_ROOT

sys.path.insert(0, str(REPO_ROOT / "faults"))
