# SPDX-License-Identifier: Apache-2.0
"""What every HTML page of this command is made of: one file that loads nothing, and its charts."""
