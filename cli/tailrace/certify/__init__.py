# SPDX-License-Identifier: Apache-2.0
"""The semantics certificate: claims about a cluster, checked in SQL while faults strike it."""
