// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class PublishCallbackTest {
  private static final TopicPartition PARTITION = new TopicPartition("t", 1);

  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final Recorders recorders = new Recorders(1 << 24);
  private final PublishOutcomes outcomes =
      new PublishOutcomes(
          new Plan.ProducerPlan(7, "t", 1, 0, OptionalLong.empty()),
          2,
          null,
          new ClientContext(
              NanoClock.system(), recorders, (client, cause) -> failures.add(client)));

  private PublishCallback callback() {
    return new PublishCallback(outcomes, 3, 0, 1, 2, 100);
  }

  private static RecordMetadata at(long offset) {
    return new RecordMetadata(PARTITION, offset, 0, 0, 0, 100);
  }

  @Test
  void anAckIsCountedAndMarksItsPartition() {
    callback().onCompletion(at(41), null);
    callback().onCompletion(at(40), null);

    assertThat(outcomes.acked().count()).isEqualTo(2);
    assertThat(outcomes.failed().count()).isZero();
    assertThat(outcomes.ackedOffsets().next(1)).isEqualTo(42);
    assertThat(outcomes.ackedOffsets().next(0)).isZero();
    assertThat(outcomes.acked().firstMicros())
        .isPositive()
        .isLessThanOrEqualTo(outcomes.acked().lastMicros());
  }

  @Test
  void anUnknownOffsetMarksThatSomethingWasSentThere() {
    callback().onCompletion(at(-1), null);

    assertThat(outcomes.acked().count()).isEqualTo(1);
    assertThat(outcomes.ackedOffsets().next(1)).isEqualTo(1);
  }

  @Test
  void aFailureReportedTwiceIsOneFailure() {
    PublishCallback callback = callback();
    callback.onCompletion(null, new TimeoutException());
    callback.thrown(new TimeoutException());

    assertThat(outcomes.failed().count()).isEqualTo(1);
    assertThat(outcomes.acked().count()).isZero();
  }

  @Test
  void everyMessageHasOneOutcomeWhenBothThreadsReport() throws InterruptedException {
    List<PublishCallback> callbacks = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      callbacks.add(callback());
    }
    RecordMetadata metadata = at(0);
    Thread clientThread =
        new Thread(() -> callbacks.forEach(callback -> callback.onCompletion(metadata, null)));
    clientThread.start();
    callbacks.forEach(callback -> callback.thrown(new IllegalStateException()));
    clientThread.join();

    assertThat(outcomes.acked().count() + outcomes.failed().count()).isEqualTo(callbacks.size());
  }

  @Test
  void anAckAllocatesNothing() {
    // Both rounds fit the recorder's first chunk: taking a new one is the recorder's own affair.
    int events = 500;
    allocatedBy(events);

    // One object for each event would be 16 bytes at least; the JVM may make one of its own
    // between.
    assertThat(allocatedBy(events)).isLessThan(events);
    assertThat(outcomes.acked().count()).isEqualTo(2 * events);
  }

  private long allocatedBy(int events) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    PublishCallback[] callbacks = new PublishCallback[events];
    for (int i = 0; i < events; i++) {
      callbacks[i] = callback();
    }
    RecordMetadata metadata = at(0);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (PublishCallback callback : callbacks) {
      callback.onCompletion(metadata, null);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void aRecorderThatFailsEndsTheRun() {
    // The partition is outside of the topic: bookkeeping fails, and the client must not swallow it.
    callback().onCompletion(new RecordMetadata(new TopicPartition("t", 9), 0, 0, 0, 0, 100), null);

    assertThat(failures).containsExactly("recorder of producer 7");
  }
}
