# SPDX-License-Identifier: Apache-2.0
"""What the broker agent costs a broker."""
