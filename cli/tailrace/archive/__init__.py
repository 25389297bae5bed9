# SPDX-License-Identifier: Apache-2.0
"""Stored runs as things to keep: list, pin, export, import, delete, and TTLs."""
