# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: what each part of the line costs."""
