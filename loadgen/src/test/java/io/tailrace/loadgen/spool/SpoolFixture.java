// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.EncodedBlock;
import java.util.SplittableRandom;

/** Makes blocks of random bytes, since a spool does not decode them. */
final class SpoolFixture {
  static final WorkerId ID = new WorkerId("run-1", 7);
  static final SpoolLimits ROOMY = new SpoolLimits(1L << 40, 0, 64L << 20);

  private SpoolFixture() {}

  static EncodedBlock block(String stream, long seq, int bytes, SplittableRandom random) {
    byte[] body = new byte[bytes];
    random.nextBytes(body);
    // Sometimes looks like the start of a record.
    if (bytes > 100 && random.nextInt(4) == 0) {
      System.arraycopy(RecordHead.MAGIC, 0, body, random.nextInt(bytes - 90), 8);
    }
    int rows = 1 + random.nextInt(1000);
    return new EncodedBlock(
        new BlockHead(stream, seq, rows, 1_000 + seq, 2_000 + seq, "a UInt16, b String"), body);
  }
}
