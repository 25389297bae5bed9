// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.HopCounts;
import io.tailrace.loadgen.kafka.KafkaBroker;
import io.tailrace.loadgen.kafka.TransformHop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run whose messages are copied from topic to topic, exactly once, while instances change. */
class TransformHopTest {
  private static final String COPIES =
      """
      topics:
        - {name: %1$s, producers: 2, subscriptions: 0}
        - {name: %1$s-copy, producers: 0, subscriptions: 1, copyOf: %1$s}
      producerRate: 500
      testDuration: 6s
      """;

  @TempDir static Path folder;
  private static KafkaBroker broker;
  private static FakeCollector sink;
  private static WorkloadRun workloads;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.start(folder);
    sink = new FakeCollector();
    workloads = new WorkloadRun(folder, broker, sink);
  }

  @AfterAll
  static void stopBroker() throws Exception {
    sink.close();
    broker.close();
  }

  @Test
  void everyMessageArrivesOnceWhileInstancesAreReplacedInTheirTransactions() throws Exception {
    TestRun run = workloads.of("hops", COPIES.formatted("orders")).start();
    HopCounts counts = copyBeside(run, Duration.ofSeconds(1));

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.summary().get("drained").asBoolean()).as(run::printed).isTrue();
    assertThat(counts.fenced()).as(counts::toString).isPositive();
    assertThat(counts.assignments()).as(counts::toString).isGreaterThan(2);
    assertThat(counts.zombieCommits()).as(counts::toString).isZero();
    assertThat(run.rows("deliveries")).allMatch(row -> row.get("topic").equals("orders-copy"));
    assertThat(messages(run, "publishes")).hasSizeGreaterThan(2_000);
    assertThat(messages(run, "deliveries"))
        .containsExactlyInAnyOrderElementsOf(messages(run, "publishes"));
  }

  /** Copies until the run has deleted its topics. */
  private static HopCounts copyBeside(TestRun run, Duration replaceEvery) throws Exception {
    Duration most = Duration.ofSeconds(60);
    TransformHop.Options options = new TransformHop.Options(2, most, replaceEvery, most);
    try (TransformHop hop = new TransformHop(run.plan(), options)) {
      CompletableFuture<HopCounts> result = new CompletableFuture<>();
      new Thread(
              () -> {
                try {
                  result.complete(hop.execute());
                } catch (InterruptedException | RuntimeException e) {
                  result.completeExceptionally(e);
                }
              })
          .start();
      return result.get(60, TimeUnit.SECONDS);
    }
  }

  private static List<String> messages(TestRun run, String stream) {
    List<Map<String, Object>> rows = run.rows(stream);
    return rows.stream().map(r -> r.get("producer") + " " + r.get("intended_time")).toList();
  }
}
