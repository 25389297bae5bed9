// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.KafkaBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Through the files, so that producers have the settings that a user's have. */
class BrokerLossTest {
  private static final int RATE = 200;
  private static final int SECONDS = 6;
  private static final int PARTITIONS = 2;
  private static final String WORKLOAD =
      "producersPerTopic: 2\ntestDuration: " + SECONDS + "s\ndrainTimeout: 2s\n";

  /** Shorter timeouts of a message; send() itself keeps its defaults. */
  private static final String GIVES_UP_SOON = "delivery.timeout.ms=1500\nrequest.timeout.ms=1000\n";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"acks=all\n", "acks=0\n"})
  void aBrokerThatGoesAwayCostsMessagesAndNotTheSchedule(String acks) throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder);
        FakeCollector sink = new FakeCollector()) {
      TestRun run =
          new WorkloadRun(folder, broker, sink)
              .of("lost", WORKLOAD, "", GIVES_UP_SOON + acks)
              .start();
      run.awaitLine("measure 00:0[1-4]");
      broker.kill();

      assertThat(run.exitCode()).as(run::printed).isZero();
      JsonNode summary = run.summary();
      long sent = summary.get("sent").asLong();
      assertThat(summary.get("unsent").asLong()).as(run::printed).isZero();
      assertThat(sent).isEqualTo(SECONDS * RATE + PARTITIONS);
      assertThat(summary.get("acked").asLong()).isPositive();
      assertThat(summary.get("failed").asLong()).isPositive();
      assertThat(summary.get("acked").asLong() + summary.get("failed").asLong()).isEqualTo(sent);
      assertThat(run.rows("publishes")).hasSize(summary.get("acked").asInt());
      // Sends that the plan intends during the outage are made on time.
      assertThat(run.rows("publish_failures"))
          .hasSize(summary.get("failed").asInt())
          .allSatisfy(row -> assertThat(row.get("error_class")).isEqualTo("TimeoutException"));
      assertThat(run.phases()).containsExactly("probe", "measure", "drain", "end");
      assertThat(run.printed()).containsPattern("(?m)^warning: topics lost-\\d+ were not deleted");
      // While it waits for brokers that are down it does not repeat the line every second.
      List<String> closing = run.printed().lines().filter(l -> l.startsWith("closing")).toList();
      assertThat(closing).doesNotHaveDuplicates();
    }
  }

  @Test
  void whatAProducerGaveUpHasAReasonAndATimeRange() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder);
        FakeCollector sink = new FakeCollector()) {
      // As the clients do it by themselves: each send() blocks until metadata is there again.
      String blocking =
          GIVES_UP_SOON + "metadata.recovery.strategy=rebootstrap\nmax.block.ms=3000\n";
      TestRun run =
          new WorkloadRun(folder, broker, sink).of("gaveup", WORKLOAD, "", blocking).start();
      run.awaitLine("measure 00:0[1-4]");
      broker.kill();

      assertThat(run.exitCode()).as(run::printed).isZero();
      List<Map<String, Object>> unsent =
          run.rows("ledger").stream()
              .filter(row -> row.get("kind").equals("unsent") && (Long) row.get("events") > 0)
              .toList();
      assertThat(unsent).as(run::printed).hasSize(1);
      Map<String, Object> entry = unsent.get(0);
      assertThat(entry.get("reason")).isEqualTo("TimeoutException");
      assertThat(entry.get("events")).isEqualTo(run.summary().get("unsent").asLong());
      JsonNode measure = run.summary().get("phases").get(1);
      assertThat((Long) entry.get("from_time"))
          .isBetween(measure.get("start_us").asLong(), (Long) entry.get("to_time"));
      assertThat((Long) entry.get("to_time")).isLessThanOrEqualTo(measure.get("end_us").asLong());
      assertThat(run.printed())
          .containsPattern("(?m)^warning: \\d+ messages \\(TimeoutException\\) intended from 20")
          .containsPattern("(?m)^measure 00:.* behind \\d+\\.\\d s$")
          .containsPattern("(?m)^last sends 00:0\\d .* behind \\d+\\.\\d s$")
          // The consumers' limit counts from the producers' end.
          .doesNotContainPattern("(?m)^drain 00:(0[4-9]|1\\d)/00:02");
    }
  }
}
