# SPDX-License-Identifier: Apache-2.0
"""The audit: is every message that the load generator counted stored, once, and received?"""
