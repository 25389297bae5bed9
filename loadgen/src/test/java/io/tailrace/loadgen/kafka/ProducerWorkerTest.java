// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.pace.Arrivals;
import io.tailrace.loadgen.pace.ConstantRate;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.RateSchedule;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.FailureRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowSegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a producer does when its client blocks or throws, which no broker can be made to cause. */
class ProducerWorkerTest {
  private static final String TOPIC = "t";
  private static final int RATE = 400;
  private static final long LASTING_NANOS = 500_000_000L;
  private static final int EACH = 100;

  private final NanoClock clock = NanoClock.system();
  private final Recorders recorders = new Recorders(1 << 24);
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void letGo() {
    release.countDown();
  }

  @Test
  void aSendThatBlocksDelaysItsOwnProducerAlone() throws InterruptedException {
    ProducerWorker blocked =
        worker(
            0,
            () -> {
              try {
                release.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    ProducerWorker other = worker(1, () -> {});
    offer(blocked, other);

    await(other::ended);
    assertThat(other.acked().count()).isEqualTo(EACH);
    assertThat(blocked.sent().count()).isOne();
    assertThat(blocked.behindNanos()).isGreaterThan(LASTING_NANOS / 2);

    release.countDown();
    await(blocked::ended);
    // What was overdue by then is sent, each message by its own intended time.
    assertThat(blocked.acked().count()).isEqualTo(EACH);
    assertThat(blocked.unsent()).isEqualTo(UnsentMessages.NONE);
    assertThat(failures).isEmpty();
  }

  @Test
  void aSendThatThrowsIsAFailureWithTimeAndClassAndTheLoopGoesOn() throws InterruptedException {
    int[] calls = {0};
    ProducerWorker worker =
        worker(
            0,
            () -> {
              if (calls[0]++ % 2 == 1) {
                throw new SerializationException("on purpose");
              }
            });
    ProducerWorker other = worker(1, () -> {});
    long before = clock.epochMicros();
    offer(worker, other);

    await(() -> worker.ended() && other.ended());
    assertThat(worker.sent().count()).isEqualTo(EACH);
    assertThat(worker.acked().count()).isEqualTo(EACH / 2);
    assertThat(worker.failed().count()).isEqualTo(EACH / 2);
    assertThat(failures).isEmpty();

    List<RowSegment> segments = new ArrayList<>();
    recorders.failureLogs().get(0).collect(EACH, segments);
    List<Long> intended = new ArrayList<>();
    for (RowSegment segment : segments) {
      for (int row = segment.from(); row < segment.from() + segment.rows(); row++) {
        intended.add(segment.longs(FailureRecorder.LONG_INTENDED)[row]);
        assertThat(segment.texts(FailureRecorder.TEXT_ERROR_CLASS)[row])
            .isEqualTo("SerializationException");
        assertThat(segment.longs(FailureRecorder.LONG_FAIL)[row])
            .isGreaterThanOrEqualTo(segment.longs(FailureRecorder.LONG_INTENDED)[row]);
      }
    }
    assertThat(intended).hasSize(EACH / 2).isSorted().doesNotHaveDuplicates();
    assertThat(intended.get(0)).isGreaterThan(before);
  }

  private ProducerWorker worker(int producer, Runnable onSend) {
    PartitionInfo partition = new PartitionInfo(TOPIC, 0, Node.noNode(), new Node[0], new Node[0]);
    Cluster cluster = new Cluster(null, List.of(), List.of(partition), Set.of(), Set.of());
    ByteArraySerializer serializer = new ByteArraySerializer();
    MockProducer<byte[], byte[]> client =
        new MockProducer<>(cluster, true, null, serializer, serializer) {
          // Not synchronized, as the client's own is not.
          @Override
          public Future<RecordMetadata> send(
              ProducerRecord<byte[], byte[]> record, Callback callback) {
            onSend.run();
            return super.send(record, callback);
          }
        };
    byte[] value = new byte[PayloadHeader.BYTES];
    ClientContext context =
        new ClientContext(clock, recorders, (failed, cause) -> failures.add(cause));
    Plan.ProducerPlan self = new Plan.ProducerPlan(producer, TOPIC, 1, 0, OptionalLong.empty());
    return new ProducerWorker(
        self,
        client,
        Duration.ofSeconds(1),
        () -> new ProducerRecord<>(TOPIC, 0, null, value),
        new MessageSender(
            PayloadHeader.Origin.of("run", producer),
            client,
            new TraceSampler("run", producer, "client", recorders.spans(), clock),
            new PublishOutcomes(self, 1, null, context),
            Optional.empty(),
            clock),
        context);
  }

  private void offer(ProducerWorker... workers) {
    long start = clock.nanoTime() + 100_000_000L;
    RateSchedule course = new RateSchedule(start);
    course.append(new ConstantRate(RATE), false);
    course.endSegment(start + LASTING_NANOS);
    course.close();
    for (int i = 0; i < workers.length; i++) {
      workers[i].start();
      double offset = (double) i / workers.length;
      workers[i].begin(
          new Arrivals(course, 1.0 / workers.length, offset, Long.MAX_VALUE, null, clock));
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(5);
    }
  }
}
