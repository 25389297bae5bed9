# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the event path. See lab/bench/README.md."""
