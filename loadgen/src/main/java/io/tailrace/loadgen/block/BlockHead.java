// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

/**
 * Describes a block without its bytes.
 *
 * @param seq number within run, worker and stream, counted from the number that the worker started
 *     with
 * @param rows number of rows, 1 … 262,144
 * @param fromMicros time of its earliest row, µs since 1970
 * @param toMicros time of its latest row, µs since 1970
 * @param columns its columns in order, {@code name Type, name Type, …}
 */
public record BlockHead(
    String stream, long seq, int rows, long fromMicros, long toMicros, String columns) {}
