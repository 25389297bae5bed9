# SPDX-License-Identifier: Apache-2.0
"""The live view of a running run in a terminal: rates, percentiles, drives and alerts."""
