-- A window of a few seconds in a run of hours: a producer's or consumer's rows lie as its callbacks came, so the least
-- and greatest due time of each granule tell which granules to leave unread.

-- +goose Up
ALTER TABLE publishes ADD INDEX IF NOT EXISTS intended_time_minmax intended_time TYPE minmax GRANULARITY 1;
ALTER TABLE deliveries ADD INDEX IF NOT EXISTS intended_time_minmax intended_time TYPE minmax GRANULARITY 1;
