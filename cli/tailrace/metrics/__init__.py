# SPDX-License-Identifier: Apache-2.0
"""A run's host and broker metrics, copied from VictoriaMetrics into the warehouse."""
