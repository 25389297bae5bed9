// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class MessageSenderTest {
  private final NanoClock clock = NanoClock.system();
  private final List<ByteBuffer> sent = new ArrayList<>();

  @Test
  void messagesOfOneIntendedSendDifferInTheirTie() {
    MessageSender sender = sender();
    long first = clock.nanoTime();
    long[] intended = {
      first, first, first, first + 1_000_000, first + 2_000_000, first + 2_000_000
    };
    for (long nanoTime : intended) {
      sender.send(new ProducerRecord<>("t", 0, null, new byte[50]), nanoTime, nanoTime);
    }

    assertThat(sent).extracting(PayloadHeader::tie).containsExactly(0, 1, 2, 0, 0, 1);
    assertThat(sent).extracting(PayloadHeader::sequence).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
    assertThat(sent).allMatch(PayloadHeader::isIntact);
    assertThat(sent).allMatch(value -> PayloadHeader.isOf(PayloadHeader.runOf("run"), value));
  }

  @Test
  void aTieBeyondTheHeadersLimitStaysAtIt() {
    MessageSender sender = sender();
    long nanoTime = clock.nanoTime();
    for (int i = 0; i < PayloadHeader.MOST_TIE + 3; i++) {
      sender.send(new ProducerRecord<>("t", 0, null, new byte[50]), nanoTime, nanoTime);
    }

    ByteBuffer last = sent.get(sent.size() - 1);
    assertThat(PayloadHeader.tie(last)).isEqualTo(PayloadHeader.MOST_TIE);
    assertThat(PayloadHeader.intendedMicros(last)).isEqualTo(clock.epochMicros(nanoTime));
  }

  private MessageSender sender() {
    ByteArraySerializer serializer = new ByteArraySerializer();
    MockProducer<byte[], byte[]> client =
        new MockProducer<>(true, null, serializer, serializer) {
          @Override
          public synchronized Future<RecordMetadata> send(
              ProducerRecord<byte[], byte[]> record, Callback callback) {
            sent.add(ByteBuffer.wrap(record.value().clone()));
            return super.send(record, callback);
          }
        };
    Recorders recorders = new Recorders(1 << 24);
    ClientContext context =
        new ClientContext(
            clock,
            recorders,
            (name, cause) -> {
              throw new AssertionError(name, cause);
            });
    Plan.ProducerPlan self = new Plan.ProducerPlan(3, "t", 1, 0, OptionalLong.empty());
    return new MessageSender(
        PayloadHeader.Origin.of("run", 3),
        client,
        new TraceSampler("run", 3, "client", recorders.spans(), clock),
        new PublishOutcomes(self, 1, null, context),
        Optional.empty(),
        clock);
  }
}
