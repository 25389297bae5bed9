# SPDX-License-Identifier: Apache-2.0
"""The published experiments of ``experiments``: run whole, judged by SQL."""
