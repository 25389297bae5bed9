# SPDX-License-Identifier: Apache-2.0
"""Reruns the published experiments of ``experiments`` and computes their verdicts in SQL."""
