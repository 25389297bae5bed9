-- Codecs, measured column by column on live runs (make bench-storage). Callbacks that scatter over hundreds of partitions
-- leave differences of a few bits beside large ones: transposed bit by bit (T64('bit')) they take two thirds of what
-- Delta with ZSTD alone leaves, at the same CPU. New parts and merges write them; parts that lie there stay as they are.

-- +goose Up
ALTER TABLE publishes MODIFY COLUMN partition CODEC(T64, ZSTD(1));
ALTER TABLE publishes MODIFY COLUMN offset CODEC(Delta(8), T64('bit'), ZSTD(1));
ALTER TABLE publishes MODIFY COLUMN intended_time CODEC(Delta(8), ZSTD(3));
ALTER TABLE publishes MODIFY COLUMN publish_delay_us CODEC(Delta(8), T64('bit'), ZSTD(1));
ALTER TABLE publishes MODIFY COLUMN ack_time CODEC(Delta(8), T64('bit'), ZSTD(1));
ALTER TABLE deliveries MODIFY COLUMN producer CODEC(T64, ZSTD(1));
ALTER TABLE deliveries MODIFY COLUMN partition CODEC(ZSTD(1));
ALTER TABLE deliveries MODIFY COLUMN offset CODEC(DoubleDelta(8), ZSTD(1));
ALTER TABLE deliveries MODIFY COLUMN intended_time CODEC(Delta(8), T64('bit'), ZSTD(1));
