# SPDX-License-Identifier: Apache-2.0
"""What the query library costs on a run of 100 million messages."""
