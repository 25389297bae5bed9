// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

/**
 * A block ready to ship.
 *
 * @param stream stream of all its rows
 * @param seq number within run, worker and stream, from 0
 * @param rows number of rows, 1 … 262,144
 * @param bytes ClickHouse Native block, one zstd frame; not to be changed
 * @param fromMicros time of its earliest row, µs since 1970
 * @param toMicros time of its latest row, µs since 1970
 */
public record EncodedBlock(
    String stream, long seq, int rows, byte[] bytes, long fromMicros, long toMicros) {}
