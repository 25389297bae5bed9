# SPDX-License-Identifier: Apache-2.0
"""Whether a host is fit to measure on."""
