# SPDX-License-Identifier: Apache-2.0
"""make bench-storage: bytes a stored row takes, column by column, of live runs without keys and with."""
