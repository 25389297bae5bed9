# SPDX-License-Identifier: Apache-2.0
"""The fault lab: faults injected into the real stack, and what ``tailrace explain`` makes of them."""
