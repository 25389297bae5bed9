# SPDX-License-Identifier: Apache-2.0
"""The one-machine stack: start it, stop it, find it. Other rooms import ``tailrace.stack.api``."""
