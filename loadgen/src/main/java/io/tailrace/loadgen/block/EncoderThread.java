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
 * Reads all recorders of a worker and makes blocks: for each stream, one block as soon as 262,144
 * rows are available or the oldest row is a second old. An insert costs the warehouse milliseconds
 * regardless of its size, so blocks are as large as the contract allows. The thread also counts the
 * live latencies. It keeps reading when a block cannot be shipped or encoded.
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

  private static final class Progress {
    long nextSeq;
    int firstLog;
    boolean waiting;
    long waitingSinceNanos;

    Progress(long firstSeq) {
      nextSeq = firstSeq;
    }
  }

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

  public void start() {
    thread.start();
  }

  /** Whether the thread has failed, so that recorded rows are no longer encoded. */
  public boolean died() {
    return !finishing && thread.getState() == Thread.State.TERMINATED;
  }

  /** Encodes the remaining rows and stops the thread. All writers must have stopped before. */
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
    boolean oldEnough = flush || now - progress.waitingSinceNanos >= MAX_AGE_NANOS;
    while (available >= ENOUGH_ROWS || (available > 0 && oldEnough)) {
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
   * Starts with a different log each time, so that a busy log cannot starve the others. The rows
   * are then put in the order of their recorders, that is by producer or consumer number, which is
   * nearly the order of the tables: ClickHouse then has little to sort.
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
