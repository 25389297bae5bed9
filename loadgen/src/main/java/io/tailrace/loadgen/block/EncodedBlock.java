// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

/**
 * A block ready to ship: a ClickHouse Native block in one zstd frame, whose bytes must not change.
 */
public record EncodedBlock(BlockHead head, byte[] bytes) {
  /** Stream of all its rows. */
  public String stream() {
    return head.stream();
  }

  /** Number within run, worker and stream, from 0. */
  public long seq() {
    return head.seq();
  }

  /** Number of rows. */
  public int rows() {
    return head.rows();
  }

  /** Time of its earliest row, µs since 1970. */
  public long fromMicros() {
    return head.fromMicros();
  }

  /** Time of its latest row, µs since 1970. */
  public long toMicros() {
    return head.toMicros();
  }
}
