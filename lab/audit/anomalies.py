# SPDX-License-Identifier: Apache-2.0
"""The anomalies, as data: what is planted in which workload, and what the audit must find."""

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
            fails=(("written_twice", PLACE + r".*producer {producer} sequence {sequence} at offsets {offset} and {again}"),),
        ),
        Plant(
            "acknowledged and not written",
            "DROP",
            1,
            fails=(("acknowledged_twice", PLACE + r".* offsets {offset}"), ("log_growth", LOG)),
        ),
        Plant("written in the wrong order", "SWAP", 2, fails=(("reordered", PLACE + r".* offsets {offset}"),)),
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
        Plant("log end too early", "END_EARLIER", 6, count=3, fails=(("log_end", LOG + r"3 .*ends at offset {offset}"), ("log_growth", LOG))),
        Plant("log end too late", "END_LATER", 7, count=3, fails=(("log_surplus", LOG),)),
    ),
    settings=ONCE,
)

FETCHED = Case(
    "fetched",
    (
        Plant("not delivered", "HIDE", 0, count=3, fails=(("missing", PLACE + r"missing is 3,.* offsets {offset}"),)),
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
        Plant("delivered twice", "REPLAY", 6, count=5, fails=(("duplicated", PLACE + r"duplicated is 5,.* offsets {offset}"),)),
        Plant("delivered late", "LATE", 7, count=4, fails=(("late", PLACE + r".* offsets {offset}"),)),
        Plant(
            "written twice, as by another producer",
            "DOUBLE_AS_OTHER",
            8,
            fails=(("written_twice", PLACE + r".*sequence {sequence} at offsets {offset} and {again}.*idempotence=true"),),
        ),
        Plant("written once, sent twice", "DOUBLE", 9),
    ),
)

CASES = (PRODUCED, FETCHED)
