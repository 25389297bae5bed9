# SPDX-License-Identifier: Apache-2.0
"""Fixtures that the tests of several rooms use."""

pytest_plugins = ["lab.stand.fixtures", "lab.simulated.fixtures"]
