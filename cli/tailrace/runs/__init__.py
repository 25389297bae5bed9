# SPDX-License-Identifier: Apache-2.0
"""Runs: starting one from end to end, its manifest, and finding it again."""
