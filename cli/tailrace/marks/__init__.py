# SPDX-License-Identifier: Apache-2.0
"""What people note in a run: a fault that they injected on purpose, or anything else."""
