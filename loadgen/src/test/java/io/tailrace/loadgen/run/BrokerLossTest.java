// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tailrace.loadgen.kafka.KafkaBroker;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.PhasePlan.Kind;
import io.tailrace.loadgen.plan.Plan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerLossTest {
  @TempDir Path folder;

  @Test
  void aBrokerThatGoesAwayCostsMessagesAndNotTheRun() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder);
        BlockSinkServer sink = new BlockSinkServer()) {
      Plan plan =
          new TestPlan("lost", broker.bootstrapServers())
              .producer("delivery.timeout.ms", "1500")
              .producer("request.timeout.ms", "1000")
              .producer("max.block.ms", "1000")
              .phases(PhasePlan.constant(Kind.MEASURE, Duration.ofSeconds(5), 200))
              .drainTimeout(Duration.ofSeconds(2))
              .build();
      TestRun run = new TestRun(plan, sink, folder).start();
      run.awaitLine("measure 00:0[1-4]");
      broker.kill();

      assertThat(run.exitCode()).as(run::printed).isZero();
      JsonNode summary = run.summary();
      // The schedule goes on: every message of it was sent, or is told to be late beyond the end of
      // the run.
      long sent = summary.get("sent").asLong();
      assertThat(sent + summary.get("unsent").asLong()).isEqualTo(1000 + TestPlan.PROBES);
      assertThat(summary.get("acked").asLong()).isPositive();
      assertThat(summary.get("failed").asLong()).isPositive();
      assertThat(summary.get("acked").asLong() + summary.get("failed").asLong()).isEqualTo(sent);
      assertThat(run.rows("publishes")).hasSize(summary.get("acked").asInt());
      assertThat(run.rows("publish_failures"))
          .hasSize(summary.get("failed").asInt())
          .allSatisfy(row -> assertThat(row.get("error_class")).isEqualTo("TimeoutException"));
      assertThat(run.phases()).containsExactly("probe", "measure", "drain", "end");
      assertThat(run.printed())
          .containsPattern("(?m)^warning: topics lost-topic-0 were not deleted: ");
      // While it waits for brokers that are away it does not say the same every second.
      List<String> closing = run.printed().lines().filter(l -> l.startsWith("closing")).toList();
      assertThat(closing).doesNotHaveDuplicates();
    }
  }
}
