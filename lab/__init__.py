# SPDX-License-Identifier: Apache-2.0
"""Benchmarks, the chaos test and the fault lab: programs that measure Tailrace itself."""
