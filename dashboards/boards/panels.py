# SPDX-License-Identifier: Apache-2.0
"""The kinds of panel the dashboards are made of. Each has a unit, a description and a text for "nothing"."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grafana_foundation_sdk.builders import barchart, common, heatmap, table, timeseries, xychart
from grafana_foundation_sdk.builders.dashboard import DashboardLink
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import common as kinds
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue, Panel
from grafana_foundation_sdk.models.heatmap import HeatmapColorMode, HeatmapColorScale
from grafana_foundation_sdk.models.xychart import SeriesMapping

from boards import links as links_to
from boards import traces
from boards.targets import Target, take_targets

NOTHING = "Nothing in this time range. The first panel states what the run has, and sets the range to the run's own."
# Units by what a column's name ends in; Grafana's names for them.
COLUMN_UNITS = {
    "_us": "µs",
    "_ms": "ms",
    "_s": "s",
    "_per_s": "cps",
    "_bytes_per_s": "Bps",
    "_bytes": "bytes",
    "_share": "percentunit",
    "_percent": "percent",
    "_ratio": "none",
    "_time": "dateTimeAsIso",
}


def log_scale() -> common.ScaleDistributionConfig:
    """Latencies span decades; a linear axis shows one of them."""
    return common.ScaleDistributionConfig().type(kinds.ScaleDistribution.LOG).log(10)


def graph(
    title: str,
    about: str,
    unit: str,
    *targets: Target,
    log: bool = False,
    stack: bool = False,
    span: int = 12,
    height: int = 8,
    links: Sequence[DashboardLink] = (),
) -> timeseries.Panel:
    """Lines over time, ``stack``: on each other. A gap stays a gap: what was not measured is not drawn."""
    panel = timeseries.Panel().title(title).description(about).unit(unit).no_value(NOTHING)
    panel = panel.span(span).height(height).line_width(1).fill_opacity(0).span_nulls(False)
    panel = panel.show_points(kinds.VisibilityMode.AUTO).data_links(list(links))
    legend = common.VizLegendOptions().show_legend(True).placement(kinds.LegendPlacement.BOTTOM)
    panel = panel.legend(legend.display_mode(kinds.LegendDisplayMode.LIST).calcs([]))
    tooltip = common.VizTooltipOptions().mode(kinds.TooltipDisplayMode.MULTI)
    panel = panel.tooltip(tooltip.sort(kinds.SortOrder.DESCENDING))
    if log:
        panel = panel.scale_distribution(log_scale())
    if stack:
        panel = panel.stacking(common.StackingConfig().mode(kinds.StackingMode.NORMAL)).fill_opacity(80)
    return panel.targets(list(targets))


def heat(title: str, about: str, target: Target, *, label: str, span: int = 24, height: int = 10) -> heatmap.Panel:
    """Counts over time and latency; each series is one row of cells, named by its label."""
    color = heatmap.HeatmapColorOptions().mode(HeatmapColorMode.SCHEME).scheme("Spectral")
    panel = heatmap.Panel().title(title).description(about).unit("short").no_value(NOTHING)
    panel = panel.span(span).height(height).calculate(False).cell_gap(0)
    panel = panel.color(color.scale(HeatmapColorScale.EXPONENTIAL).exponent(0.4).fill("dark-blue"))
    panel = panel.rows_frame(heatmap.RowsHeatmapOptions().layout(kinds.HeatmapCellLayout.LE))
    panel = panel.y_axis(heatmap.YAxisConfig().axis_placement(kinds.AxisPlacement.LEFT).unit("ms"))
    panel = panel.display_name(f"${{__field.labels.{label}}}").mode(kinds.TooltipDisplayMode.SINGLE)
    return panel.show_legend().with_target(target)


def scatter(title: str, about: str, unit: str, target: Target, *, x: str, y: str, span: int = 12) -> xychart.Panel:
    """One point per row: column ``y`` over column ``x``, both in ``unit``."""

    def column(name: str) -> xychart.MatcherConfig:
        return xychart.MatcherConfig().id("byName").options(name)

    series = xychart.XYSeriesConfig().x(xychart.XychartXYSeriesConfigX().matcher(column(x)))
    series = series.y(xychart.XychartXYSeriesConfigY().matcher(column(y)))
    panel = xychart.Panel().title(title).description(about).unit(unit).no_value(NOTHING)
    return panel.span(span).height(9).mapping(SeriesMapping.MANUAL).series([series]).with_target(target)


def bars(title: str, about: str, unit: str, target: Target, *, x: str, span: int = 12) -> barchart.Panel:
    """One group of bars per row, named by column ``x``, on a log axis."""
    panel = barchart.Panel().title(title).description(about).unit(unit).no_value(NOTHING)
    panel = panel.span(span).height(9).x_field(x).scale_distribution(log_scale())
    return panel.with_target(target)


def grid(
    title: str,
    about: str,
    target: Target,
    *,
    units: Mapping[str, str] | None = None,
    links: Mapping[str, DashboardLink] | None = None,
    hidden: Sequence[str] = (),
    span: int = 24,
    height: int = 8,
) -> table.Panel:
    """A table; a column's unit follows from its name, or from ``units``. ``hidden`` are for links."""
    panel = table.Panel().title(title).description(about).unit("none").no_value(NOTHING)
    panel = panel.span(span).height(height).filterable(True).with_target(target)
    # The longest ending last: Grafana lets the later of two overrides win.
    for ending, unit in sorted(COLUMN_UNITS.items(), key=lambda pair: len(pair[0])):
        panel = panel.override_by_regexp(f"/{ending}$/", [DynamicConfigValue("unit", unit)])
    for column, unit in (units or {}).items():
        panel = panel.override_by_name(column, [DynamicConfigValue("unit", unit)])
    for column, link in (links or {}).items():
        shown = link.build()
        panel = panel.override_by_name(
            column, [DynamicConfigValue("links", [{"title": shown.title, "url": shown.url}])]
        )
    for column in hidden:
        panel = panel.override_by_name(column, [DynamicConfigValue("custom.hidden", True)])
    return panel


AnyPanel = Builder[Panel]
_KINDS: Mapping[str, Callable[..., AnyPanel]] = {
    "graph": graph,
    "heat": heat,
    "scatter": scatter,
    "bars": bars,
    "grid": grid,
}
_CELL_LINKS = {"neighbours": links_to.neighbours, "step": links_to.step_link, "trace": traces.link}


def panel(entry: Mapping[str, Any]) -> AnyPanel:
    """The panel of a page's entry: its kind with its title, what it asks, and the kind's own options.

    Raises TypeError for an option that the kind does not have.
    """
    options = dict(entry)
    (kind,) = options.keys() & _KINDS.keys()
    title, about = options.pop(kind), options.pop("about")
    unit = [options.pop("unit")] if "unit" in options else []
    links = options.pop("links", None)
    if links and kind == "grid":
        options["links"] = {column: _cell_link(link) for column, link in links.items()}
    elif links:
        options["links"] = [links_to.point_link(name) for name in links]
    return _KINDS[kind](title, about, *unit, *take_targets(options), **options)


def _cell_link(link: str | dict[str, Any]) -> DashboardLink:
    return _CELL_LINKS[link]() if isinstance(link, str) else links_to.row_link(**link)
