# SPDX-License-Identifier: Apache-2.0
"""Runs one workload, or a campaign, from the plan to the summary."""
