# SPDX-License-Identifier: Apache-2.0
"""The anomalies, as data: what is planted in which workload, and what the audit must find."""

from lab.audit import transactions
from lab.audit.plan import Case, Plant, Settings

# Nothing is sent twice, and the broker does not count a producer's messages.
ONCE: Settings = {"producerConfig": {"enable.idempotence": "false", "retries": "0"}}
PLACE = r"/{partition} subscription 0: "
LOG = r"/{partition}: "

PRODUCED = Case(
    "produced",
    (
        Plant(
            "written twice",
            "DOUBLE",
            0,
            claim=("no_duplicates", "duplicate", r"/{partition}@{offset} and .*/{partition}@{again}"),
            fails=(
                ("written_twice", PLACE + r".*producer {producer} sequence {sequence} at offsets {offset} and {again}"),
            ),
        ),
        Plant(
            "acknowledged and not written",
            "DROP",
            1,
            claim=("no_loss", "not_received", r"/{partition}@{offset}, not received by subscription 0"),
            fails=(("acknowledged_twice", PLACE + r".* offsets {offset}"), ("log_growth", LOG)),
            # The next messages have the same offsets, so there is no order between them.
            also=(("reordered", PLACE),),
        ),
        Plant(
            "tail not delivered, log end too early",
            "HIDE_TAIL_AND_END",
            2,
            at=150,
            fails=(
                ("missing", PLACE + r".* offsets {offset}"),
                ("log_end", LOG + r".*the log ends at offset {offset} \(offsets {offset}"),
                ("log_growth", LOG),
            ),
        ),
        Plant("foreign message", "FOREIGN", 3, notes=(r"^1 messages received were written by other programs",)),
        Plant("message of another run", "OTHER_RUN", 4, notes=(r"^1 messages received were written by other runs",)),
        Plant(
            "tail acknowledged and not written",
            "DROP_TAIL",
            5,
            at=150,
            fails=(
                ("missing", PLACE + r".* offsets {offset}"),
                ("log_end", LOG + r".*the log ends at offset {offset} \(offsets {offset}"),
                ("log_growth", LOG),
            ),
        ),
        Plant(
            "log end too early",
            "END_EARLIER",
            6,
            count=3,
            fails=(("log_end", LOG + r"3 .*ends at offset {offset}"), ("log_growth", LOG)),
        ),
        Plant("log end too late", "END_LATER", 7, count=3, fails=(("log_surplus", LOG + r"its log has 3 offsets"),)),
    ),
    settings=ONCE,
)

FETCHED = Case(
    "fetched",
    (
        Plant(
            "not delivered",
            "HIDE",
            0,
            count=3,
            fails=(("missing", PLACE + r"missing is 3,.* offsets {offset}"),),
            claim=("no_loss", "not_received", r"@\d+, not received by subscription 0"),
        ),
        Plant("corrupted", "CORRUPT", 1, fails=(("corrupt", r"/{partition}@{offset}"),)),
        Plant(
            "header corrupted",
            "CORRUPT_HEADER",
            2,
            fails=(("missing", PLACE + r"missing is 1,.* offsets {offset}"),),
            notes=(r"^1 messages received were written by other programs",),
        ),
        Plant("truncated", "TRUNCATE", 3, fails=(("corrupt", r"/{partition}@{offset}"),)),
        Plant("contents exchanged", "EXCHANGE", 4, fails=(("altered", PLACE + r"altered is 2,.* offsets {offset}"),)),
        Plant("tail not delivered", "HIDE_TAIL", 5, at=150, fails=(("missing", PLACE + r".* offsets {offset}"),)),
        Plant(
            "delivered twice",
            "REPLAY",
            6,
            count=5,
            fails=(("duplicated", PLACE + r"duplicated is 5,.* offsets {offset}"),),
        ),
        Plant("delivered late", "LATE", 7, count=4, fails=(("received_late", PLACE + r".* offsets {offset}"),)),
        Plant(
            "written twice, as by another producer",
            "DOUBLE_AS_OTHER",
            8,
            claim=("no_duplicates", "duplicate", r"/\d+@\d+ and .*/\d+@\d+"),
            fails=(
                ("written_twice", PLACE + r".*sequence {sequence} at offsets {offset} and {again}.*idempotence=true"),
            ),
        ),
        Plant("written once, sent twice", "DOUBLE", 9),
    ),
)

SWAPPED = Case(
    "swapped",
    (
        Plant(
            "written in the wrong order",
            "SWAP",
            fails=(("reordered", PLACE + r".* offsets {offset}"),),
            claim=("order_per_key", "reordered", r"/{partition}@\d+, received .* after the message sent"),
        ),
    ),
    # A request has one partition's messages, so it can be held back.
    workload={"partitionsPerTopic": 1, "testDuration": "3s"},
    settings=ONCE,
)

REREAD = Case(
    "reread",
    (
        Plant(
            "delivered, then lost",
            "REREAD_HIDE",
            0,
            count=2,
            claim=("no_loss", "lost_from_log", r"/{partition}@{offset}"),
            fails=(("reread_lost", LOG + r".*find 2 .*offsets {offset}"),),
        ),
        Plant(
            "delivered, then corrupted",
            "REREAD_CORRUPT",
            1,
            fails=(("reread_corrupt", LOG + r".*offsets {offset}"),),
            claim=("no_loss", "damaged_in_log", r"/{partition}@{offset}"),
        ),
        Plant(
            "delivered, then exchanged",
            "REREAD_EXCHANGE",
            2,
            fails=(("reread_altered", LOG + r".*offsets of 1 ranges"),),
        ),
        Plant(
            "ledger falsified",
            sql="INSERT INTO ledger (run_id, worker, stream, kind, reason, events)"
            " VALUES ({run:String}, 0, 'publishes', 'acked', '', 1)",
            fails=(("sent", r"worker 0: sent is .*, -1"), ("recorded", r"worker 0 publishes: recorded is .*, -1")),
        ),
    ),
    workload={"audit": {"reread": "all"}},
)

UNREAD = Case(
    "unread",
    (
        Plant(
            "written twice, unread",
            "DOUBLE",
            0,
            fails=(("log_surplus", LOG + r"its log has {messages} offsets more"),),
            claim=("no_duplicates", "not_received", r"/{partition}: {messages} offsets are neither"),
        ),
        # As many failed sends, in another partition, do not explain that.
        Plant("refused", "REFUSE", 1),
        Plant("acknowledged and not written, unread", "DROP", 2, fails=(("log_growth", LOG),)),
        Plant(
            "tail acknowledged and not written, unread",
            "DROP_TAIL",
            3,
            at=150,
            fails=(("log_end", LOG + r".*the log ends at offset {offset} \(offsets {offset}"), ("log_growth", LOG)),
        ),
        Plant(
            "log end too late, unread",
            "END_LATER",
            4,
            count=3,
            fails=(("log_surplus", LOG + r"its log has 3 offsets"),),
        ),
    ),
    workload={"subscriptionsPerTopic": 0, "consumerPerSubscription": 0},
    settings=ONCE,
    states=(r"1 topics that no group reads",),
)

UNANSWERED = Case(
    "unanswered",
    (
        Plant(
            "not written",
            "DROP",
            0,
            notes=(r"^subscription 0: not received are {messages} of \d+ messages .*/{partition} {messages}\)",),
        ),
        Plant("not delivered", "HIDE", 1, count=2, fails=(("missing", PLACE + r"missing is 2,.* offsets {offset}"),)),
        Plant(
            "written twice",
            "DOUBLE",
            2,
            notes=(PLACE + r"allowed duplicates: {messages} messages .*\(producer {producer} sequence {sequence} at",),
            # Without acknowledgements the order is that of receipt: the first copies come again after the last.
            also=(("reordered", PLACE),),
        ),
    ),
    settings={"producerConfig": {"acks": "0", "enable.idempotence": "false", "retries": "0"}},
    states=(r"^acks=0: acked means handed to the socket",),
)

RETRIED = Case(
    "retried",
    (
        Plant(
            "written twice by a retry",
            "LOSE_ANSWER",
            0,
            notes=(
                PLACE + r"allowed duplicates: .*producer {producer} sequence {sequence} at offsets {offset} and "
                r".*enable.idempotence=false with retries allows",
            ),
        ),
    ),
    workload={"partitionsPerTopic": 1, "testDuration": "3s"},
    settings={
        "producerConfig": {"enable.idempotence": "false", "acks": "all", "max.in.flight.requests.per.connection": "1"}
    },
)

STORED = Case(
    "stored",
    (
        Plant("block dropped", "drop", block="deliveries", fails=(("stored", r"worker 0 deliveries: stored rows is"),)),
        Plant("block doubled", "double", block="publishes", fails=(("stored", r"worker 0 publishes: stored rows is"),)),
    ),
    workload={"partitionsPerTopic": 2, "testDuration": "3s"},
    also=(
        ("missing", r"acknowledged but never received"),
        ("acknowledged_twice", r"stored as acknowledged more than once"),
        ("log_growth", r"messages were acknowledged, and its log grew by"),
    ),
)

CASES = (PRODUCED, FETCHED, SWAPPED, REREAD, UNREAD, UNANSWERED, RETRIED, STORED, *transactions.CASES)
