# SPDX-License-Identifier: Apache-2.0
"""Fixtures that the tests of several rooms use."""

import os

# Whole runs of tests leave out the check of the host, which takes seconds; one of lab/e2e has it.
os.environ.setdefault("TAILRACE_NO_FITNESS", "1")
# Runs of seconds end before java's second compiler has paid for itself: half the CPU.
os.environ.setdefault("TAILRACE_LOADGEN_JVM", "-XX:TieredStopAtLevel=1")

pytest_plugins = ["lab.stand.fixtures", "lab.simulated.fixtures"]
