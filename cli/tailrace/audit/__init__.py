# SPDX-License-Identifier: Apache-2.0
"""The audit: checks that every message that the load generator counted was stored once and received."""
