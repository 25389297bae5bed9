# SPDX-License-Identifier: Apache-2.0
"""The chaos test: whole runs on the real stack while its parts die, and every row compared afterwards."""
