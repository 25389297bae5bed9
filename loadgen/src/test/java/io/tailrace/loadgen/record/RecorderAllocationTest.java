// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecorderAllocationTest {
  private static final int EVENTS = 1_000_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final Recorders recorders = new Recorders(1 << 30);

  private long allocatedBy(Runnable work) {
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static void drain(RowLog log) {
    List<RowSegment> segments = new ArrayList<>();
    log.collect(Integer.MAX_VALUE, segments);
    log.release();
  }

  @Test
  void acknowledgementsAllocateNothingOnceThePoolIsFilled() {
    PublishRecorder recorder = recorders.publishes(0, "t");
    Runnable work =
        () -> {
          for (int n = 0; n < EVENTS; n++) {
            recorder.acked(n & 7, n, n, 1, n + 2, 1024);
          }
        };
    work.run();
    // The writer keeps its last chunk, so the pool needs a little more than one round takes.
    work.run();
    drain(recorders.publishLogs().get(0));
    assertThat(allocatedBy(work)).isLessThan(EVENTS / 100);
    assertThat(recorders.publishLogs().get(0).published()).isEqualTo(3 * EVENTS);
  }

  @Test
  void deliveriesAllocateNothingOnceThePoolIsFilled() {
    DeliveryRecorder recorder = recorders.deliveries(0, 0, "t");
    Runnable work =
        () -> {
          for (int n = 0; n < EVENTS; n++) {
            recorder.received(0, n & 7, n, n, n + 2, 1024, n, 0);
          }
        };
    work.run();
    // The writer keeps its last chunk, so the pool needs a little more than one round takes.
    work.run();
    drain(recorders.deliveryLogs().get(0));
    assertThat(allocatedBy(work)).isLessThan(EVENTS / 100);
    assertThat(recorders.deliveryLogs().get(0).published()).isEqualTo(3 * EVENTS);
  }

  @Test
  void lostRowsAllocateNothing() {
    Recorders none = new Recorders(0);
    PublishRecorder recorder = none.publishes(0, "t");
    Runnable work =
        () -> {
          for (int n = 0; n < EVENTS; n++) {
            recorder.acked(0, n, n, 1, n, 1024);
          }
        };
    work.run();
    assertThat(allocatedBy(work)).isLessThan(EVENTS / 100);
    assertThat(none.publishLogs().get(0).loss().events()).isEqualTo(2 * EVENTS);
  }
}
