# SPDX-License-Identifier: Apache-2.0
"""The dashboards are no part of the command: their folder is not on the path by itself."""

import sys

from tailrace.stack.paths import REPO_ROOT

sys.path.insert(0, str(REPO_ROOT / "dashboards"))
