# SPDX-License-Identifier: Apache-2.0
"""Marks: notes that users add to a run, for example about a fault that they injected."""
