// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.record.Loss;

/** Takes what the encoder thread makes. May write to a local file, must not wait for a network. */
public interface BlockSink {
  /**
   * Takes a block.
   *
   * @return whether it was taken; false when it was dropped (and counted), so its {@code seq} is
   *     free again
   */
  boolean accept(EncodedBlock block);

  /** Counts rows that could not be made into a block. */
  void notEncoded(BlockStream stream, Loss rows, Throwable cause);

  /** Called by the encoder thread about every 10 ms, for whatever is due by the clock. */
  default void tick() {}
}
