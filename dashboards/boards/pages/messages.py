# SPDX-License-Identifier: Apache-2.0
"""The messages themselves: the slowest, and those of one partition and second."""

from typing import Any

from boards import links, traces
from boards.board import Section, assemble, from_query, typed
from boards.panels import graph, grid
from boards.rendering import PARTITION, TOPIC, options, points, rows
from boards.targets import sql_series, sql_table


def this_time_range() -> Section:
    """Where slow messages are, and the messages there."""
    panels = [
        graph(
            "Where they are",
            "Greatest and p99.9 end-to-end latency of the messages due in a point; drag over a spike to list it below.",
            "µs",
            sql_series(points("latency_over_time", {"max": "max_us", "p99_9": "p99_9_us"}, topic=TOPIC)),
            log=True,
            span=24,
            links=[links.point_link(links.MESSAGES)],
        ),
        grid(
            "Messages of this time range, slowest first",
            "Raw rows. Of more than 5 million deliveries it searches the newest seconds. The offset links to the "
            "trace, for messages that were sampled (traceOneIn).",
            sql_table(
                rows(
                    "messages_in_window",
                    [
                        *("intended_time", "topic", "partition", "offset", "subscription", "producer", "consumer"),
                        *("end_to_end_us", "publish_delay_us", "publish_latency_us", "after_ack_us", "payload_bytes"),
                    ],
                    topic=TOPIC,
                    partition=PARTITION,
                )
            ),
            links={"partition": [links.neighbours()], "offset": [traces.link()]},
            height=12,
        ),
    ]
    return Section("This time range", panels)


def slowest() -> Section:
    """The slowest messages, and what surrounded them."""
    panels = [
        grid(
            "Slowest of the measure phase, and what surrounded them",
            "near: latencies of the 16 messages around it in its partition (received within 10 s of it), alike when "
            "the partition stalled. Drive: the worst second of any broker's drive while it was under way. events: "
            "noted from 10 s before it.",
            sql_table(
                rows(
                    "slowest_messages",
                    [
                        *("intended_time", "topic", "partition", "offset", "leader", "end_to_end_us"),
                        *("publish_delay_us", "publish_latency_us", "after_ack_us", "near_min_us", "near_max_us"),
                        *("second_p50_us", "second_messages", "write_latency_ms", "flush_latency_ms"),
                    ],
                    texts=["events"],
                    first="50",
                )
            ),
            links={"offset": [traces.link()]},
            height=12,
        )
    ]
    return Section("The whole run, slowest first", panels, folded=True)


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    variables = [
        from_query("topic", "Topic", options("run_topics", "topic", first="all")),
        typed("partition", "Partition", "all"),
    ]
    sections = [this_time_range(), slowest()]
    about = "Single messages. A partition links to its neighbours in the same second, an offset to the message's trace."
    down = (links.LATENCY_DRIVE, links.RUN, links.AUDIT)
    return assemble(links.MESSAGES, about, sections, variables=variables, to=down)
