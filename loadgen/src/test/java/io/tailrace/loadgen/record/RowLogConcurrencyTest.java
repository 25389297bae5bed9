// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RowLogConcurrencyTest {
  private static final int WRITERS = 3;
  private static final long ROWS_EACH = 1_000_000;

  /**
   * Sums of every column; each row of writer w contains functions of its number, so a torn or stale
   * row is detected.
   */
  private static final class Sums {
    long rows;
    long offset;
    long wrong;

    void add(RowSegment s) {
      for (int i = s.from(); i < s.from() + s.rows(); i++) {
        long n = s.longs(PublishRecorder.LONG_OFFSET)[i];
        rows++;
        offset += n;
        boolean right =
            s.longs(PublishRecorder.LONG_INTENDED)[i] == n * 3
                && s.longs(PublishRecorder.LONG_PUBLISH_DELAY)[i] == -n
                && s.longs(PublishRecorder.LONG_ACK)[i] == n * 5
                && s.ints(PublishRecorder.INT_PARTITION)[i] == (int) n % 7
                && s.ints(PublishRecorder.INT_PAYLOAD_BYTES)[i] == (int) n % 11;
        wrong += right ? 0 : 1;
      }
    }
  }

  @Test
  void aReaderSeesEveryRowOfConcurrentWritersOnceAndComplete() throws InterruptedException {
    // There is room for all rows, so none may be missing; chunks are still reused meanwhile.
    Recorders recorders = new Recorders(1 << 28);
    List<Thread> writers = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      PublishRecorder recorder = recorders.publishes(w, "t");
      writers.add(new Thread(() -> write(recorder)));
    }
    writers.forEach(Thread::start);

    Sums[] sums = new Sums[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
      sums[w] = new Sums();
    }
    SplittableRandom random = new SplittableRandom(1);
    while (writers.stream().anyMatch(Thread::isAlive)) {
      drain(recorders, sums, random.nextInt(1, 5_000));
    }
    for (Thread writer : writers) {
      writer.join();
    }
    drain(recorders, sums, Integer.MAX_VALUE);

    for (int w = 0; w < WRITERS; w++) {
      RowLog log = recorders.publishLogs().get(w);
      assertThat(log.loss()).isNull();
      assertThat(log.published()).isEqualTo(ROWS_EACH);
      assertThat(sums[w].rows).isEqualTo(ROWS_EACH);
      assertThat(sums[w].offset).isEqualTo(ROWS_EACH * (ROWS_EACH - 1) / 2);
      assertThat(sums[w].wrong).isZero();
    }
  }

  private static void write(PublishRecorder recorder) {
    for (long n = 0; n < ROWS_EACH; n++) {
      recorder.acked((int) n % 7, n, n * 3, -n, n * 5, (int) n % 11);
    }
  }

  private static void drain(Recorders recorders, Sums[] sums, int maxRows) {
    for (int w = 0; w < sums.length; w++) {
      RowLog log = recorders.publishLogs().get(w);
      List<RowSegment> segments = new ArrayList<>();
      log.collect(maxRows, segments);
      segments.forEach(sums[w]::add);
      log.release();
    }
  }

  @Test
  void failuresOfManyThreadsAreAllKept() throws InterruptedException {
    Recorders recorders = new Recorders(1 << 30);
    List<Thread> writers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      int producer = w;
      writers.add(
          new Thread(
              () -> {
                for (int n = 0; n < 10_000; n++) {
                  recorders.failures().failed(producer, "t", 0, n, 0, n, 1, "E", n, 0);
                }
              }));
    }
    writers.forEach(Thread::start);
    for (Thread writer : writers) {
      writer.join();
    }
    List<RowSegment> segments = new ArrayList<>();
    assertThat(recorders.failureLogs().get(0).collect(Integer.MAX_VALUE, segments))
        .isEqualTo(40_000);
    long[] sumOfProducer = new long[4];
    for (RowSegment s : segments) {
      for (int i = s.from(); i < s.from() + s.rows(); i++) {
        sumOfProducer[s.ints(FailureRecorder.INT_PRODUCER)[i]] +=
            s.longs(FailureRecorder.LONG_INTENDED)[i];
      }
    }
    assertThat(sumOfProducer).containsOnly(10_000L * 9_999 / 2);
  }
}
