# SPDX-License-Identifier: Apache-2.0
"""Why a run was slow: the episodes in which latency left its baseline, and their likely causes."""
