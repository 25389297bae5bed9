-- A window of a few seconds in a run of hours: messages lie by partition and offset, which grow with time, so the
-- least and greatest due time of each granule tell which granules to leave unread.

-- +goose Up
ALTER TABLE publishes ADD INDEX IF NOT EXISTS intended_time_minmax intended_time TYPE minmax GRANULARITY 1;
ALTER TABLE deliveries ADD INDEX IF NOT EXISTS intended_time_minmax intended_time TYPE minmax GRANULARITY 1;
