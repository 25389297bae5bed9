# SPDX-License-Identifier: Apache-2.0
"""The published experiments of ``workloads/seeds``: run whole, judged by SQL."""
