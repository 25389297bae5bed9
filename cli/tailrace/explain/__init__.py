# SPDX-License-Identifier: Apache-2.0
"""Explains why a run was slow: its episodes and their likely causes."""
