# SPDX-License-Identifier: Apache-2.0
"""Two or more runs against each other: what differs, and by how much at least."""
