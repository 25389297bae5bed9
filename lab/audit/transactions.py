# SPDX-License-Identifier: Apache-2.0
"""The anomalies of transactions and of compacted topics, as data."""

from lab.audit.plan import Case, Plant, Settings

PLACE = r"/{partition} subscription 0: "
WORKLOAD = {
    "partitionsPerTopic": 2,
    "producerRate": 200,
    "messages": 1000,
    "testDuration": "60s",
    "transactions": {"messages": 10, "abortRatio": 0.2},
}
# A producer gives up within seconds.
IMPATIENT: Settings = {
    "producerConfig": {
        "max.block.ms": "4000",
        "request.timeout.ms": "2000",
        "delivery.timeout.ms": "6000",
        "transaction.timeout.ms": "20000",
    }
}

TRANSACTED = Case(
    "transacted",
    (
        Plant(
            "torn",
            "HIDE",
            0,
            at=20,
            claim=("read_committed", "torn", r"producer {producer}, transaction \d+, committed"),
            fails=(
                ("torn", r"torn is 1, .*producer {producer} transaction \d+, committed .*: 9 of 10 messages received"),
                ("missing", PLACE + r".* offsets {offset}"),
            ),
        ),
        Plant(
            "committed and lost",
            "ABORT_COMMIT",
            at=30,
            claim=("read_committed", "committed_lost", r"producer 0, transaction {number}, committed"),
            fails=(("committed_lost", r"committed_lost is 1, .*producer 0 transaction {number}, committed"),),
            also=(("missing", r"subscription 0: missing is"),),
        ),
        Plant(
            "aborted and committed",
            "COMMIT_ABORT",
            at=50,
            claim=("read_committed", "aborted_read", r"producer 0, transaction {number}, aborted"),
            fails=(("aborted_read", r"aborted_read is 1, .*producer 0 transaction {number}, aborted"),),
            also=(("aborted_received", r"subscription 0: aborted_received is"),),
        ),
    ),
    workload=WORKLOAD,
)

DOUBTED = Case(
    "doubted",
    (
        Plant(
            "aborted and read",
            "UNLIST_ABORTED",
            0,
            at=20,
            claim=("read_committed", "aborted_read", r"producer {producer}, transaction \d+, aborted"),
            fails=(
                ("aborted_read", r"aborted_read is 1, .*producer {producer} transaction \d+, aborted"),
                ("aborted_received", PLACE + r".* offsets {offset}"),
            ),
        ),
        Plant(
            "in doubt",
            "MUTE_END",
            at=40,
            notes=(r"subscription 0: 1 transactions in doubt: 1 turned out committed, 0 aborted",),
            # Its producer sends nothing more.
            also=(("unsent", "were overdue and never sent"),),
        ),
    ),
    workload={**WORKLOAD, "testDuration": "8s"},
    settings=IMPATIENT,
)

# The only transactions that abort are those of zombies.
FENCED = Case(
    "fenced",
    (
        Plant(
            "zombie read",
            "UNLIST_ABORTED",
            0,
            at=20,
            claim=("fencing", "zombie_committed", r"producer {producer} transaction \d+ .*, aborted: subscription 0"),
            fails=(
                ("aborted_read", r"aborted_read is 1, .*producer {producer} transaction \d+, aborted"),
                ("aborted_received", PLACE + r".* offsets {offset}"),
            ),
        ),
    ),
    workload={**WORKLOAD, "transactions": {"messages": 10, "zombieRatio": 0.2}},
)

HOP = "transform_exactly_once"
COPIED = Case(
    "copied",
    (
        Plant(
            "copy not delivered",
            "HIDE",
            0,
            topic="copy",
            fails=(("copy_lost", r"lost is 1, expected 0 "),),
            also=(("missing", PLACE),),
            claim=(HOP, "lost", r"producer 0"),
        ),
        Plant(
            "copied twice",
            "DOUBLE_AS_OTHER",
            1,
            topic="copy",
            fails=(("copy_duplicated", r"duplicated is {messages}, .*at {partition}@\d+ and {partition}@\d+"),),
            also=(("written_twice", PLACE),),
            claim=(HOP, "duplicated", r"at {partition}@\d+ and {partition}@\d+"),
        ),
    ),
    workload={
        "topics": [
            {"name": "{run}-0000000", "producers": 1, "subscriptions": 0, "consumers": 0},
            {"name": "{run}-copy", "producers": 0, "subscriptions": 1, "consumers": 1, "copyOf": "{run}-0000000"},
        ],
        "partitionsPerTopic": 2,
        "producerRate": 200,
        "testDuration": "10s",
    },
    settings={"consumerConfig": {"isolation.level": "read_committed"}},
    states=(r"copies of topics: \d+ acknowledged messages were compared",),
    companion="transform",
)

FAILED = Case(
    "failed",
    (Plant("failed halfway", "FENCE", at=50, fails=(("state", r"incomplete: the run failed: .*[Ff]enced"),)),),
    workload=WORKLOAD,
    settings=IMPATIENT,
    also=(("unsent", "were overdue and never sent"),),
)

# Real compaction: each segment is complete after a second, and consumers begin after several.
COMPACTED = Case(
    "compacted",
    (
        Plant(
            "tail not delivered, compacted",
            "HIDE_TAIL",
            1,
            at=300,
            fails=(("missing", PLACE + r"missing is \d+, .*where compaction removes none"),),
        ),
    ),
    workload={
        **WORKLOAD,
        "keys": {"choice": "roundRobin", "count": 20},
        "transactions": {"messages": 10},
        "consumeDelaySeconds": 4,
    },
    settings={
        "topicConfig": {
            "cleanup.policy": "compact",
            "segment.ms": "1000",
            "min.cleanable.dirty.ratio": "0.01",
            "max.compaction.lag.ms": "1000",
        }
    },
    states=(
        r"acknowledged messages were not received, and compaction may have removed them first",
        r"were received whole: compaction may have removed messages of theirs first",
    ),
)

CASES = (TRANSACTED, DOUBTED, FENCED, COPIED, FAILED, COMPACTED)
