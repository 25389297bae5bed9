# SPDX-License-Identifier: Apache-2.0
"""``tailrace demo``: one run whose rate fits this machine, with one announced episode that explain then names."""
