# SPDX-License-Identifier: Apache-2.0
"""How long the queries of a certificate take."""
