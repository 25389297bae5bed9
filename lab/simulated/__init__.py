# SPDX-License-Identifier: Apache-2.0
"""Runs that are computed and stored, not executed; README.md says which one a test takes."""
