-- SPDX-License-Identifier: Apache-2.0
INSERT INTO run_events (run_id, worker, time, kind, name, detail)
FORMAT Native
