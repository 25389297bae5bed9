# SPDX-License-Identifier: Apache-2.0
"""make bench-loadgen: the load generator against kafka-producer-perf-test, and against itself without recording."""
