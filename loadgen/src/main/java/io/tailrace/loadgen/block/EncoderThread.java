// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowLog;
import io.tailrace.loadgen.record.RowSegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Follows all recorders of a worker and cuts blocks: per stream one block as soon as 262,144 rows
 * are there or the oldest one is a second old. Each insert costs the warehouse milliseconds
 * whatever it holds, so blocks are as large as the contract lets them be. Buckets the live
 * latencies on the way. Never stops reading because a block could not be shipped or encoded.
 */
public final class EncoderThread {
  private static final int ENOUGH_ROWS = BlockEncoder.MAX_ROWS;
  private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Recorders recorders;
  private final BlockEncoder encoder;
  private final LiveHistograms histograms;
  private final BlockSink sink;
  private final Map<BlockStream, Progress> streams = new EnumMap<>(BlockStream.class);
  private final List<RowSegment> segments = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "tailrace-encoder");
  private volatile boolean finishing;

  /** How far a stream is. */
  private static final class Progress {
    long nextSeq;
    int firstLog;
    boolean waiting;
    long waitingSinceNanos;

    Progress(long firstSeq) {
      nextSeq = firstSeq;
    }
  }

  /**
   * @param recorders recorders to follow
   * @param runId run of every row
   * @param worker worker of every row, 0 … 65535
   * @param firstSeq number of the first block of each stream
   * @param histograms where latencies are counted
   * @param sink where blocks go
   */
  public EncoderThread(
      Recorders recorders,
      String runId,
      int worker,
      long firstSeq,
      LiveHistograms histograms,
      BlockSink sink) {
    this.recorders = recorders;
    this.encoder = new BlockEncoder(runId, worker);
    this.histograms = histograms;
    this.sink = sink;
    for (BlockStream stream : BlockStream.RECORDED) {
      streams.put(stream, new Progress(firstSeq));
    }
    thread.setDaemon(true);
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /** Whether the thread has ended by itself, so that nothing recorded is encoded any more. */
  public boolean died() {
    return !finishing && thread.getState() == Thread.State.TERMINATED;
  }

  /** Encodes all that is left and ends the thread. All writers must have stopped. */
  public void finish() throws InterruptedException {
    finishing = true;
    LockSupport.unpark(thread);
    thread.join();
  }

  private void run() {
    try (encoder) {
      while (!finishing) {
        streams.forEach((stream, progress) -> poll(stream, progress, false));
        sink.tick();
        LockSupport.parkNanos(POLL_NANOS);
      }
      streams.forEach((stream, progress) -> poll(stream, progress, true));
    }
  }

  private void poll(BlockStream stream, Progress progress, boolean flush) {
    List<RowLog> logs = stream.logs(recorders);
    long available = 0;
    for (RowLog log : logs) {
      available += log.available();
    }
    long now = System.nanoTime();
    if (available > 0 && !progress.waiting) {
      progress.waiting = true;
      progress.waitingSinceNanos = now;
    }
    boolean due = flush || now - progress.waitingSinceNanos >= MAX_AGE_NANOS;
    while (available >= ENOUGH_ROWS || (available > 0 && due)) {
      available -= cut(stream, progress, logs);
    }
    progress.waiting = available > 0;
  }

  private int cut(BlockStream stream, Progress progress, List<RowLog> logs) {
    int rows = collect(progress, logs);
    try {
      histograms.observe(stream, segments);
      EncodedBlock block = encoder.encode(stream, progress.nextSeq, segments);
      if (sink.accept(block)) {
        progress.nextSeq++;
      }
    } catch (RuntimeException | Error e) {
      TimeRange range = TimeRange.of(segments, stream.timeColumn());
      sink.notEncoded(stream, new Loss(rows, range.fromMicros(), range.toMicros()), e);
    } finally {
      segments.clear();
      logs.forEach(RowLog::release);
    }
    return rows;
  }

  /**
   * Starts with another log each time, so that none waits for ever behind a busy one. The rows are
   * put in order of the recorders' making then, that is by number: the tables keep them in that
   * order, and what arrives sorted need not be sorted.
   */
  private int collect(Progress progress, List<RowLog> logs) {
    int count = logs.size();
    int rows = 0;
    int wrapped = 0;
    for (int i = 0; i < count && rows < BlockEncoder.MAX_ROWS; i++) {
      int at = (progress.firstLog + i) % count;
      if (at == 0) {
        wrapped = segments.size();
      }
      rows += logs.get(at).collect(BlockEncoder.MAX_ROWS - rows, segments);
    }
    Collections.rotate(segments, -wrapped);
    progress.firstLog = (progress.firstLog + 1) % count;
    return rows;
  }
}
