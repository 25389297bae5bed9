# SPDX-License-Identifier: Apache-2.0
"""The stages of a message in the order of time, as queries name them, and in words."""

from collections.abc import Mapping

WHOLE = "latency"
PARTS: Mapping[str, str] = {
    "schedule": "until it was sent: the load generator's delay",
    "client": "in the client and the network, until the broker had read it",
    "throttle": "connection muted by a quota",
    "request_queue": "until a request handler took it",
    "lock_wait": "waiting for the log's lock",
    "segment_roll": "rolling to a new log segment",
    "append": "appending to the log",
    "log_flush": "flushing the log in the request",
    "handler": "other work of the request handler",
    "replication": "until the in-sync followers had it",
    "response_queue": "until a network thread took the response",
    "to_client": "sending the response, until the callback ran",
    "fetch_wait": "visible, until a fetch of it arrived",
    "fetch_queue": "until a request handler took the fetch",
    "fetch_read": "reading the log, until the response was ready",
    "fetch_send": "until the response was sent",
    "consumer": "network and consumer, until poll() returned it",
    "unattributed": "clocks contradict the order of events",
    "not_measured": "no request was recorded",
}
BANDS = {"all": 0, "slowest-10%": 1, "slowest-1%": 2}
SIDES = {"publish": "publish latency", "delivery": "end-to-end latency"}


def label(stage: str) -> str:
    """``request_queue`` → ``request queue``."""
    return stage.replace("_", " ")


def band_words(band: str) -> str:
    """``slowest-1%`` → ``slowest 1 % of each second``."""
    return "all messages" if band == "all" else f"{band.replace('-', ' ').replace('%', ' %')} of each second"
