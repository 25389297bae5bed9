# SPDX-License-Identifier: Apache-2.0
"""make bench-loadgen: the load generator beside kafka-producer-perf-test, and beside itself without recording."""
