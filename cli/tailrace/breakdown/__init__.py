# SPDX-License-Identifier: Apache-2.0
"""Where messages spent their time: the stages of publish latency and of end-to-end latency."""
