-- SPDX-License-Identifier: Apache-2.0
INSERT INTO ledger (run_id, worker, stream, kind, reason, events, from_time, to_time)
FORMAT Native
