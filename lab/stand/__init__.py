# SPDX-License-Identifier: Apache-2.0
"""Starts any part of the line for a test, a benchmark or a fault run; README.md has an example."""
