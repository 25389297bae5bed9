# SPDX-License-Identifier: Apache-2.0
"""Where one looks next: links from a dashboard, a point or a row to the dashboard below it."""

from collections.abc import Mapping, Sequence

from grafana_foundation_sdk.builders.dashboard import DashboardLink
from grafana_foundation_sdk.models.dashboard import DashboardLinkType

from boards.pages import PAGES

# Width of the window that a click on a point opens, ms.
WINDOW_MS = 60_000


def board_link(name: str) -> DashboardLink:
    """In a dashboard's head: same time, same variables."""
    uid = f"tailrace-{name}"
    link = DashboardLink(PAGES[uid]["title"]).type(DashboardLinkType.LINK).url(f"/d/{uid}")
    return link.icon("dashboard").keep_time(True).include_vars(True)


def point_link(name: str) -> DashboardLink:
    """On a point of a graph: the minute around it."""
    uid = f"tailrace-{name}"
    url = f"/d/{uid}?${{run:queryparam}}&time=${{__value.time}}&time.window={WINDOW_MS}"
    return DashboardLink(f"{PAGES[uid]['title']} around this moment").url(url)


def row_link(to: str, title: str, variables: Mapping[str, str], span: Sequence[str] = ()) -> DashboardLink:
    """On a table's cell. ``variables``: variable to column; ``span``: columns of first and last ms."""
    parts = [f"var-{name}=${{__data.fields.{column}}}" for name, column in variables.items()]
    if "run" not in variables:
        parts.insert(0, "${run:queryparam}")
    if span:
        parts += [f"{end}=${{__data.fields.{column}}}" for end, column in zip(("from", "to"), span, strict=True)]
    else:
        parts.append("${__url_time_range}")
    return DashboardLink(title).url(f"/d/tailrace-{to}?{'&'.join(parts)}")


def neighbours() -> DashboardLink:
    """On a message's row: the messages of its partition within a second before and after."""
    fields = "var-topic=${__data.fields.topic}&var-partition=${__data.fields.partition}"
    moment = "time=${__data.fields.intended_time.numeric}&time.window=2000"
    return DashboardLink("Its partition in that second").url(
        f"/d/tailrace-messages?${{run:queryparam}}&{fields}&{moment}"
    )


def step_link() -> DashboardLink:
    """On the row of a step: half an hour around it, with the drives."""
    moment = "time=${__data.fields.time.numeric}&time.window=1800000"
    return DashboardLink("The drives around this step").url(f"/d/tailrace-latency-drive?${{run:queryparam}}&{moment}")
