// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.ReceivedSpan;
import io.tailrace.loadgen.kafka.KafkaBroker;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.payload.TraceContext;
import io.tailrace.loadgen.plan.PlainLoad;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.workload.Behaviour;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run finds inside the messages it receives: damage, and the traces of sampled ones. */
class InspectedMessagesTest {
  private static final int ONE_IN = 10;
  private static final int MESSAGES = 1500;

  @TempDir static Path folder;
  private static KafkaBroker broker;
  private static FakeCollector sink;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.start(folder);
    sink = new FakeCollector();
  }

  @AfterAll
  static void stopBroker() throws Exception {
    sink.close();
    broker.close();
  }

  @Test
  void aSampledMessageIsOneTraceAndTheOthersCarryNothing() throws Exception {
    TestPlan plan = new TestPlan("traced", broker.bootstrapServers());
    TestRun run = new TestRun(plan.behaviour(tracing()).build(), sink, folder).start();
    run.awaitLine("measure 00:0[1-9]");
    assertThat(someOf(plan.topic()))
        .hasSizeGreaterThan(100)
        .allSatisfy(
            record -> {
              boolean sampled = PayloadHeader.sequence(record.value()) % ONE_IN == 0;
              assertThat(record.headers().toArray()).hasSize(sampled ? 1 : 0);
            });
    assertThat(run.exitCode()).as(run::printed).isZero();

    List<ReceivedSpan> spans = sink.spans(plan.topic());
    Map<String, ReceivedSpan> sent =
        spans.stream()
            .filter(span -> span.name().startsWith("send "))
            .collect(Collectors.toMap(ReceivedSpan::trace, span -> span));
    List<ReceivedSpan> processed =
        spans.stream().filter(span -> span.name().startsWith("process ")).toList();
    long sampled = sampled(run);
    assertThat(sampled).isGreaterThan(MESSAGES / ONE_IN - 1);
    assertThat(sent).hasSize((int) sampled);
    assertThat(processed)
        .hasSize((int) (TestPlan.GROUPS * sampled))
        .allSatisfy(span -> assertThat(span.parent()).isEqualTo(sent.get(span.trace()).id()))
        .extracting(ReceivedSpan::id)
        .doesNotHaveDuplicates();
    assertThat(sent).containsKey(TraceContext.of("traced", 1, 20).traceId());
  }

  /** The first message of each producer, and every tenth after it; probes are messages too. */
  private static long sampled(TestRun run) {
    return run.rows("publishes").stream()
        .collect(Collectors.groupingBy(row -> row.get("producer"), Collectors.counting()))
        .values()
        .stream()
        .mapToLong(messages -> (messages + ONE_IN - 1) / ONE_IN)
        .sum();
  }

  private static Behaviour tracing() {
    Behaviour plain = PlainLoad.behaviour(500);
    return new Behaviour(
        plain.rate(),
        plain.arrivals(),
        plain.keys(),
        plain.headers(),
        plain.messages(),
        plain.readToEnd(),
        plain.consume(),
        plain.transactions(),
        plain.abortWhen(),
        ONE_IN,
        plain.sampleEvery(),
        plain.reread(),
        plain.durability());
  }

  private static List<ConsumerRecord<ByteBuffer, ByteBuffer>> someOf(String topic) {
    List<ConsumerRecord<ByteBuffer, ByteBuffer>> records = new ArrayList<>();
    try (KafkaConsumer<ByteBuffer, ByteBuffer> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteBufferDeserializer(),
            new ByteBufferDeserializer())) {
      Set<TopicPartition> all =
          IntStream.range(0, TestPlan.PARTITIONS)
              .mapToObj(partition -> new TopicPartition(topic, partition))
              .collect(Collectors.toSet());
      consumer.assign(all);
      consumer.seekToBeginning(all);
      for (int i = 0; i < 100 && records.size() <= 100; i++) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
    }
    return records;
  }

  @Test
  void aMessageThatChangedOnItsWayIsCountedAndNamed() throws Exception {
    TestPlan builder = new TestPlan("damaged", broker.bootstrapServers());
    Plan plan = builder.build();
    byte[] value = new byte[100];
    PayloadHeader.Origin origin = PayloadHeader.Origin.of(plan.runId(), 0);
    PayloadHeader.write(value, PayloadHeader.bodyChecksum(value), origin, 1_000_000, 1, 0);
    value[60] ^= 1;
    TestRun run = new TestRun(plan, sink, folder).start();
    run.awaitLine("measure 00:0");
    long offset;
    try (KafkaProducer<byte[], byte[]> producer = broker.producer()) {
      offset =
          producer
              .send(new ProducerRecord<>(builder.topic(), 2, null, value))
              .get(30, TimeUnit.SECONDS)
              .offset();
    }
    assertThat(run.exitCode()).as(run::printed).isZero();

    assertThat(run.counted("deliveries", "corrupt")).isEqualTo(TestPlan.GROUPS);
    assertThat(run.rows("run_events").stream().filter(row -> row.get("kind").equals("corruption")))
        .hasSize(TestPlan.GROUPS)
        .allSatisfy(
            row -> {
              assertThat(row.get("name")).isEqualTo(builder.topic() + "/2");
              assertThat(row.get("detail").toString()).contains("\"offset\":" + offset);
            });
  }
}
