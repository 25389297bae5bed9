# SPDX-License-Identifier: Apache-2.0
"""Three systemd hosts on one machine, deployed by the real roles over SSH."""
