// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.record.DeliveryRecorder;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.IOException;
import java.net.URI;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Records generated messages until it is killed. It writes its counts to a memory-mapped file, so
 * they are correct whenever that happens.
 */
public final class SpoolingProgram {
  static final int PUBLISHED_AT = 0;
  static final int RECEIVED_AT = 8;

  private static final int BURST = 500;

  private SpoolingProgram() {}

  /** Arguments: spool folder, collector, file of counts. */
  public static void main(String[] args) throws Exception {
    Recorders recorders = new Recorders(1 << 28);
    MappedByteBuffer counts = counts(Path.of(args[2]));
    Spool spool =
        Spool.create(
            Path.of(args[0]), new WorkerId("run-1", 2), new SpoolLimits(1L << 40, 0, 1 << 20));
    EventPipeline.start(
        PipelineFixture.config(URI.create(args[1]), 8 << 20),
        recorders,
        new SpoolConfig(spool, () -> counted(counts)));
    PublishRecorder publishes = recorders.publishes(0, "t");
    DeliveryRecorder deliveries = recorders.deliveries(0, 0, "t");
    forEver(
        counts,
        PUBLISHED_AT,
        n -> publishes.acked(0, n, time(n), 5, time(n) + 7, (int) (n % 1000)));
    forEver(
        counts,
        RECEIVED_AT,
        n -> deliveries.received(0, 0, n, time(n), time(n) + 9, (int) (n % 1000), n, 0));
  }

  static MappedByteBuffer counts(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(MapMode.READ_WRITE, 0, 16);
    }
  }

  private static List<LedgerEntry> counted(MappedByteBuffer counts) {
    return List.of(
        new LedgerEntry("publishes", "sent", "", counts.getLong(PUBLISHED_AT) + 3, 1, 2),
        new LedgerEntry("publishes", "acked", "", counts.getLong(PUBLISHED_AT), 1, 2),
        new LedgerEntry("publishes", "aborted", "", 11, 1, 2),
        new LedgerEntry("deliveries", "received", "", counts.getLong(RECEIVED_AT), 1, 2),
        new LedgerEntry("deliveries", "redelivered", "", 12, 1, 2),
        new LedgerEntry("deliveries", "foreign", "", 13, 1, 2),
        new LedgerEntry("deliveries", "corrupt", "", 14, 1, 2));
  }

  /** A time that hardly compresses. */
  static long time(long n) {
    return n * 0x9E37_79B9_7F4A_7C15L >>> 20;
  }

  private static void forEver(MappedByteBuffer counts, int at, LongConsumer record) {
    new Thread(
            () -> {
              for (long n = 0; ; n++) {
                record.accept(n);
                counts.putLong(at, n + 1);
                if (n % BURST == 0) {
                  LockSupport.parkNanos(3_000_000);
                }
              }
            })
        .start();
  }
}
