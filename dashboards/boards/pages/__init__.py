# SPDX-License-Identifier: Apache-2.0
"""One file per dashboard; each has ``page()``."""
