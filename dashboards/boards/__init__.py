# SPDX-License-Identifier: Apache-2.0
"""Grafana dashboards as code: ``python -m boards`` writes dashboards/json and the alert rules."""
