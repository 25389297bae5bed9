# SPDX-License-Identifier: Apache-2.0
"""Comparisons: differences between runs, with intervals."""
