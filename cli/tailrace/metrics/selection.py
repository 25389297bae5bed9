# SPDX-License-Identifier: Apache-2.0
"""The selector of the metrics that are copied for a run (contracts/kept_metrics.yaml)."""

from tailrace.contracts import KEPT_METRICS, LEFT_OUT_METRICS

SELECTOR = f'{{__name__=~"{"|".join(KEPT_METRICS)}",__name__!~"{LEFT_OUT_METRICS}"}}'
