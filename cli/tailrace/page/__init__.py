# SPDX-License-Identifier: Apache-2.0
"""The parts of every HTML page: a frame, styles, scripts and charts, in one file that loads nothing."""
