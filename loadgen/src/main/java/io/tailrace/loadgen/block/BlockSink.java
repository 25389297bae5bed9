// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.record.Loss;

/** Receives the encoder thread's blocks. It may write to a file and must not wait for a network. */
public interface BlockSink {
  /** Whether it accepts the block; the {@code seq} of a dropped and counted one is reused. */
  boolean accept(EncodedBlock block);

  void notEncoded(BlockStream stream, Loss rows, Throwable cause);

  /** Called by the encoder thread about every 10 ms, for periodic work. */
  default void tick() {}
}
