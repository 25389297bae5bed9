# SPDX-License-Identifier: Apache-2.0
"""The one-machine stack: start, stop and find it. Other packages import ``tailrace.stack.api``."""
