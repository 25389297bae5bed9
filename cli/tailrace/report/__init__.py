# SPDX-License-Identifier: Apache-2.0
"""The HTML report of a run: one file that loads nothing."""

from tailrace.report.builder import build

__all__ = ["build"]
