# SPDX-License-Identifier: Apache-2.0
"""A run as OpenMessaging Benchmark would have written it."""
