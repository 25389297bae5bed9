// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

/** A block ready to ship: a ClickHouse Native block in one zstd frame, never changed. */
public record EncodedBlock(BlockHead head, byte[] bytes) {
  public String stream() {
    return head.stream();
  }

  public long seq() {
    return head.seq();
  }

  public int rows() {
    return head.rows();
  }

  public long fromMicros() {
    return head.fromMicros();
  }

  public long toMicros() {
    return head.toMicros();
  }
}
