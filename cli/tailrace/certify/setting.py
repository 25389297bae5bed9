# SPDX-License-Identifier: Apache-2.0
"""What a certificate was made with: copies of each message, versions, driver, load."""

from collections.abc import Mapping

from tailrace.certify import files
from tailrace.certify.cluster import Cluster
from tailrace.certify.trial import Options
from tailrace.runs.manifest import own_broker_version
from tailrace.runs.planning import Plan

FACTOR, LEAST_COPIES = "replication.factor", "min.insync.replicas"


def copies(plan: Plan, defaults: Mapping[str, str]) -> dict[str, str]:
    """How many copies a message has, and how many brokers must have it before it is acknowledged. ``defaults``: what
    the cluster gives a topic that does not state it."""
    least = plan["topic_config"].get(LEAST_COPIES) or defaults.get(LEAST_COPIES, "unknown")
    return {FACTOR: str(plan["replication_factor"]), LEAST_COPIES: str(least)}


def facts(cluster: Cluster, known: Mapping[str, str], found: Mapping[str, str], options: Options) -> dict[str, str]:
    """By name, for the head of page and text. ``known``: to the cluster; ``found``: its copies."""
    brokers = ", ".join(f"{each.broker} at {each.host}:{each.port}" for each in cluster.addresses())
    one = "; one copy: a broker that is lost takes its messages with it" if found[FACTOR] == "1" else ""
    features = (f"{name}={value}" for name, value in known.items() if name.endswith(".version"))
    return {
        "copies": ", ".join(f"{name}={value}" for name, value in found.items()) + one,
        "brokers": brokers,
        "cluster": "the stack's own" if cluster.ours else "not the stack's own",
        "broker version": own_broker_version(options.paths) if cluster.ours else "not stated by Kafka's protocol",
        "features": ", ".join(features) or "none",
        "driver": f"{files.read_driver(options.driver).get('name', 'without a name')}, {options.driver}",
        "load of each claim": f"{options.duration_s} s, seed {options.seed}",
    }
