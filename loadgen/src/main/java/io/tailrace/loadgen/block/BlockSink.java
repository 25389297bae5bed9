// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.record.Loss;

/**
 * Receives the blocks that the encoder thread makes. It may write to a local file and must not wait
 * for the network.
 */
public interface BlockSink {
  /**
   * Returns whether it accepts the block; one that it drops and counts may leave its {@code seq} to
   * the next.
   */
  boolean accept(EncodedBlock block);

  void notEncoded(BlockStream stream, Loss rows, Throwable cause);

  /** Called by the encoder thread about every 10 ms, for periodic work. */
  default void tick() {}
}
