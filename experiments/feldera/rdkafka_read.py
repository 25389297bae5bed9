#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a topic to its end with librdkafka (pip install confluent-kafka) and throws away what it read.

Usage: rdkafka_read.py SERVERS TOPIC
"""

from __future__ import annotations

import sys
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

BATCH = 10_000
WAIT_S = 10.0
# consume() comes back with less than a batch only when its time is over.
BATCH_S = 0.02


def main(servers: str, topic: str) -> int:
    # It sees a partition's end by an empty answer, which a broker holds back for 500 ms by default.
    overrides = {"enable.partition.eof": True, "fetch.wait.max.ms": 1}
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "-", **overrides})
    try:
        partitions = list(consumer.list_topics(topic, WAIT_S).topics[topic].partitions)
        consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in partitions])
        ended, read, came = 0, 0, time.monotonic()
        while ended < len(partitions):
            messages = consumer.consume(BATCH, BATCH_S)
            came = time.monotonic() if messages else came
            if time.monotonic() - came > WAIT_S:
                print(f"{topic}: nothing came for {WAIT_S:.0f} s", file=sys.stderr)
                return 1
            for message in messages:
                error = message.error()
                if error is None:
                    read += 1
                elif error.code() == KafkaError._PARTITION_EOF:
                    ended += 1
                else:
                    print(f"{topic}: {error}", file=sys.stderr)
                    return 1
        return 0 if read else 1
    finally:
        consumer.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
