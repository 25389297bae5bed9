// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.ack;
import static io.tailrace.loadgen.ship.PipelineFixture.assertExact;
import static io.tailrace.loadgen.ship.PipelineFixture.config;
import static io.tailrace.loadgen.ship.PipelineFixture.ledger;
import static io.tailrace.loadgen.ship.PipelineFixture.start;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.block.StageLatency;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.FakeCollector.Reaction;
import io.tailrace.loadgen.collector.ReceivedBlock;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventPipelineTest {
  private static final Duration MINUTES = Duration.ofMinutes(3);

  private final Recorders recorders = new Recorders(1 << 28);
  private FakeCollector collector;

  @BeforeEach
  void open() throws IOException {
    collector = new FakeCollector();
  }

  @AfterEach
  void close() {
    collector.close();
  }

  @Test
  void everyRowIsStoredOnceWhateverTheCollectorAnswers() {
    SplittableRandom random = new SplittableRandom(7);
    Reaction[] bad = {
      Reaction.ANSWER_503,
      Reaction.ANSWER_429,
      Reaction.COMMIT_THEN_503,
      Reaction.CLOSE,
      Reaction.COMMIT_THEN_CLOSE
    };
    collector.reactWith(
        block -> random.nextInt(2) == 0 ? Reaction.COMMIT : bad[random.nextInt(bad.length)]);
    EventPipeline pipeline = start(collector, recorders);
    PublishRecorder recorder = recorders.publishes(3, "t");
    int rows = 0;
    // One block at a time, so that many blocks get different answers.
    for (int i = 0; i < 12; i++) {
      ack(recorder, rows, 66_000 + i);
      rows += 66_000 + i;
      waitUntil("rows are encoded", () -> recorders.publishLogs().get(0).available() == 0);
    }
    recorders.deliveries(1, 2, "t").received(3, 0, 0, 1_000, 9_000, 100, 0, 0);
    recorders.failures().failed(3, "t", -1, 1, 2, 3, 4, "TimeoutException", 5, 0);
    recorders.events().event(1, "phase", "end", "");
    recorders.events().leader(1, "t", 0, 1, "localhost");
    ShipReport report = pipeline.finish(List.of(), MINUTES);

    assertExact(collector, report);
    assertThat(report.unshipped()).isZero();
    assertThat(report.ledgerCommitted()).isTrue();
    assertThat(report.streams().get("publishes")).isEqualTo(new StreamReport(rows, rows, Map.of()));
    List<Object> offsets = collector.column("publishes", "offset");
    assertThat(new HashSet<>(offsets)).hasSize(rows);
    assertThat(offsets).hasSize(rows);
    assertThat(new HashSet<>(collector.requests())).hasSizeLessThan(collector.requests().size());
    assertThat(pipeline.unshipped()).isZero();
  }

  @Test
  void numbersHaveNoGapsAndTheLedgerComesLast() {
    EventPipeline pipeline = start(collector, recorders);
    PublishRecorder recorder = recorders.publishes(0, "t");
    for (int i = 0; i < 5; i++) {
      ack(recorder, i * 70_000L, 70_000);
      waitUntil("rows are encoded", () -> recorders.publishLogs().get(0).available() == 0);
    }
    pipeline.finish(List.of(), MINUTES);
    List<Long> numbers =
        collector.committed().stream()
            .filter(b -> b.stream().equals("publishes"))
            .map(ReceivedBlock::seq)
            .sorted()
            .toList();
    assertThat(numbers).isEqualTo(LongStream.range(0, numbers.size()).boxed().toList());
    List<String> requests = collector.requests();
    assertThat(requests.get(requests.size() - 1)).isEqualTo("run-1/2/ledger/0");
    assertThat(requests.stream().filter(t -> t.contains("ledger"))).hasSize(1);
  }

  @Test
  void aReusedRunIdDoesNotRepeatBlockNumbers() {
    for (int i = 0; i < 2; i++) {
      Recorders fresh = new Recorders(1 << 20);
      EventPipeline pipeline = start(collector, fresh);
      ack(fresh.publishes(0, "t"), 0, 100);
      assertThat(pipeline.finish(List.of(), MINUTES).ledgerCommitted()).isTrue();
    }
    assertThat(collector.requests()).hasSize(4).doesNotHaveDuplicates();
    assertThat(collector.rows("publishes")).hasSize(200);
  }

  @Test
  void theLedgerContainsTheLoadsCountsAndStoredAndLostRows() {
    Recorders small = new Recorders(1 << 16);
    EventPipeline pipeline = start(collector, small);
    PublishRecorder recorder = small.publishes(0, "t");
    ack(recorder, 0, 10);
    ack(small.publishes(1, "t"), 74, 1);
    small.failures().failed(0, "t", 0, 0, 0, 77, 0, "E", 0, 0);
    ShipReport report =
        pipeline.finish(
            List.of(
                new LedgerEntry("publishes", "sent", "", 12, 1_000, 2_000),
                new LedgerEntry("publishes", "acked", "", 11, 1_000, 2_000)),
            MINUTES);
    // The budget holds one chunk, so the second producer has no room. Failures have a separate one.
    assertThat(ledger(collector))
        .containsExactlyInAnyOrder(
            "publishes sent = 12",
            "publishes acked = 11",
            "publishes recorded = 11",
            "publishes lost recorder_full = 1",
            "deliveries recorded = 0",
            "publish_failures recorded = 1",
            "run_events recorded = 0",
            "partition_leaders recorded = 0",
            "transactions recorded = 0");
    Map<String, Object> lost =
        collector.rows("ledger").stream()
            .filter(r -> r.get("kind").equals("lost"))
            .findAny()
            .orElseThrow();
    assertThat(lost).containsEntry("from_time", 3_074L).containsEntry("to_time", 3_074L);
    assertExact(collector, report);
  }

  @Test
  void aRefusedBlockIsCountedAndNotSentAgain() {
    collector.reactWith(
        b -> b.stream().equals("publishes") ? Reaction.REFUSE_400 : Reaction.COMMIT);
    EventPipeline pipeline = start(collector, recorders);
    ack(recorders.publishes(0, "t"), 0, 100);
    recorders.events().event(1, "phase", "end", "");
    ShipReport report = pipeline.finish(List.of(), MINUTES);
    assertThat(report.streams().get("publishes"))
        .isEqualTo(new StreamReport(100, 0, Map.of("refused", 100L)));
    assertThat(report.streams().get("run_events").stored()).isEqualTo(1);
    assertThat(collector.requests()).containsOnlyOnce("run-1/2/publishes/0");
    assertThat(ledger(collector)).contains("publishes lost refused = 100");
    assertExact(collector, report);
  }

  @Test
  void aCollectorThatStartsLateGetsEverything() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    EventPipeline pipeline =
        EventPipeline.start(
            config(URI.create("http://127.0.0.1:" + port), 1 << 28), recorders, null);
    ack(recorders.publishes(0, "t"), 0, 70_000);
    waitUntil("the encoder goes on", () -> recorders.publishLogs().get(0).available() == 0);
    assertThat(pipeline.unshipped()).isEqualTo(70_000);
    try (FakeCollector late = new FakeCollector(port)) {
      ShipReport report = pipeline.finish(List.of(), MINUTES);
      assertThat(report.streams().get("publishes").stored()).isEqualTo(70_000);
      assertExact(late, report);
    }
  }

  @Test
  void liveLatencyRestartsAfterAReset() {
    EventPipeline pipeline = start(collector, recorders);
    PublishRecorder recorder = recorders.publishes(0, "t");
    ack(recorder, 0, 10);
    waitUntil("latency shows", () -> pipeline.latency("publish").count() == 10);
    assertThat(pipeline.latency("publish_delay")).isEqualTo(new StageLatency(10, 5, 5, 5));
    assertThat(pipeline.latency("publish").maxMicros()).isEqualTo(2_000);
    pipeline.resetLatency();
    assertThat(pipeline.latency("publish").count()).isZero();
    pipeline.finish(List.of(), MINUTES);
  }
}
