# SPDX-License-Identifier: Apache-2.0
"""Plants anomalies between clients, broker, collector and warehouse, and compares what the audit finds."""
