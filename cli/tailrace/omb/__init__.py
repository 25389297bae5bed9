# SPDX-License-Identifier: Apache-2.0
"""Exports a run in OpenMessaging Benchmark's format."""
