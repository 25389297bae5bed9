# SPDX-License-Identifier: Apache-2.0
"""The ``tailrace`` command: one-machine stack, runs, audits, queries, reports."""

__version__ = "0.1.0"
