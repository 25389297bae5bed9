# SPDX-License-Identifier: Apache-2.0
"""The HTML report of a run: one file that loads nothing."""
