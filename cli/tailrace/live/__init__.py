# SPDX-License-Identifier: Apache-2.0
"""A run while it goes on: rates, percentiles, drives and alerts, in a terminal."""
