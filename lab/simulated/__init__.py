# SPDX-License-Identifier: Apache-2.0
"""Runs that are computed and stored, not executed; README.md states which one a test uses."""
