// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.CommitProxy;
import io.tailrace.loadgen.kafka.CommitProxy.Cut;
import io.tailrace.loadgen.kafka.KafkaBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The row of every transaction, whether the broker confirms its end or cannot be heard. */
class TransactionOutcomesTest {
  private static final String GIVES_UP_SOON =
      """
      max.block.ms=1000
      request.timeout.ms=800
      delivery.timeout.ms=2000
      transaction.timeout.ms=4000
      """;

  @TempDir static Path folder;
  private static CommitProxy proxy;
  private static KafkaBroker broker;
  private static FakeCollector sink;
  private static WorkloadRun workloads;

  @BeforeAll
  static void startBroker() throws Exception {
    broker =
        KafkaBroker.start(
            folder,
            port -> {
              proxy = CommitProxy.before(port);
              return proxy.port();
            });
    sink = new FakeCollector();
    workloads = new WorkloadRun(folder, broker, sink);
  }

  @AfterEach
  void disarm() {
    proxy.arm(Cut.NONE, 0);
  }

  @AfterAll
  static void stopBroker() throws Exception {
    sink.close();
    broker.close();
    proxy.close();
  }

  private static List<Map<String, Object>> transactions(TestRun run, String outcome) {
    return run.rows("transactions").stream()
        .filter(row -> row.get("outcome").equals(outcome))
        .toList();
  }

  @Test
  void everyMessageIsInOneTransactionWithItsOutcomeAndTimes() throws Exception {
    TestRun run =
        workloads
            .of("outcomes", "producersPerTopic: 2\ntransactions: {messages: 7, abortRatio: 30%}\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    List<Map<String, Object>> all = run.rows("transactions");
    for (long producer = 0; producer < 2; producer++) {
      long id = producer;
      long number = 0;
      long sequence = 0;
      List<Map<String, Object>> own = new ArrayList<>(all);
      own.removeIf(row -> (Long) row.get("producer") != id);
      for (Map<String, Object> row : own) {
        assertThat(row).containsEntry("number", number++).containsEntry("first_sequence", sequence);
        assertThat(row.get("acked")).isEqualTo(row.get("messages"));
        assertThat(row.get("error_class")).isEqualTo("");
        sequence += (Long) row.get("messages");
        assertThat(
                List.of(
                    (Long) row.get("begin_time"),
                    (Long) row.get("begun_time"),
                    (Long) row.get("end_request_time"),
                    (Long) row.get("end_time")))
            .isSorted();
        assertThat((Long) row.get("end_time")).isGreaterThan((Long) row.get("end_request_time"));
      }
      assertThat(sequence)
          .isEqualTo(
              run.rows("publishes").stream().filter(r -> (Long) r.get("producer") == id).count());
    }
    assertThat(transactions(run, "committed")).isNotEmpty();
    assertThat(transactions(run, "aborted")).isNotEmpty();
    assertThat(transactions(run, "in_doubt")).isEmpty();
    assertThat(messages(transactions(run, "aborted")))
        .isEqualTo(run.counted("publishes", "aborted"));
    assertThat(run.counted("publishes", "in_doubt")).isZero();
    assertThat(run.counted("transactions", "begun")).isEqualTo(all.size());
    assertThat(run.counted("transactions", "ended")).isEqualTo(all.size());
    assertThat(run.counted("transactions", "recorded")).isEqualTo(all.size());
  }

  private static long messages(List<Map<String, Object>> transactions) {
    return transactions.stream().mapToLong(row -> (Long) row.get("acked")).sum();
  }

  @Test
  void aCommitWhoseAnswerNeverComesIsInDoubtAndWasCommitted() throws Exception {
    TestRun run = cut("unanswered", Cut.ANSWER, Integer.MAX_VALUE);

    Map<String, Object> transaction = onlyInDoubt(run);
    assertThat(transaction.get("error_class")).isEqualTo("TimeoutException");
    assertThat((Long) transaction.get("end_time") - (Long) transaction.get("end_request_time"))
        .isGreaterThan(1_000_000);
    assertThat(received(run)).containsAll(placesInDoubt(run));
    assertThat(run.printed()).contains("messages acknowledged were in transactions in doubt");
  }

  @Test
  void aCommitThatNeverReachesTheBrokerIsInDoubtAndWasAborted() throws Exception {
    TestRun run = cut("unasked", Cut.REQUEST, Integer.MAX_VALUE);

    onlyInDoubt(run);
    assertThat(received(run)).doesNotContainAnyElementsOf(placesInDoubt(run));
  }

  @Test
  void aCommitThatIsAnsweredAtTheSecondAttemptIsCommitted() throws Exception {
    TestRun run = cut("asked-twice", Cut.ANSWER, 1);

    assertThat(proxy.left()).isZero();
    assertThat(transactions(run, "in_doubt")).isEmpty();
    assertThat(run.rows("transactions")).hasSameSizeAs(transactions(run, "committed"));
    assertThat(run.counted("publishes", "unsent")).isZero();
  }

  /** A run whose transactions cannot be ended from the middle of the measure phase on. */
  private static TestRun cut(String runId, Cut kind, int requests) throws Exception {
    TestRun run = workloads.of(runId, "transactions: {messages: 7}\n", "", GIVES_UP_SOON).start();
    run.awaitLine("measure 00:0[1-9]");
    proxy.arm(kind, requests);
    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.summary().get("drained").asBoolean()).as(run::printed).isTrue();
    assertThat(run.counted("transactions", "ended"))
        .isEqualTo(run.counted("transactions", "begun"))
        .isEqualTo(run.rows("transactions").size());
    return run;
  }

  private static Map<String, Object> onlyInDoubt(TestRun run) {
    List<Map<String, Object>> found = transactions(run, "in_doubt");
    assertThat(found).hasSize(1);
    Map<String, Object> transaction = found.get(0);
    assertThat(transaction).containsEntry("messages", 7L).containsEntry("acked", 7L);
    assertThat(run.counted("publishes", "in_doubt")).isEqualTo(7);
    assertThat(run.counted("publishes", "aborted")).isZero();
    return transaction;
  }

  private static Set<String> received(TestRun run) {
    Set<String> places = new TreeSet<>();
    run.rows("deliveries")
        .forEach(row -> places.add(row.get("partition") + "@" + row.get("offset")));
    return places;
  }

  /** Places of the messages that the event of the transaction in doubt names. */
  private static Set<String> placesInDoubt(TestRun run) throws Exception {
    Set<String> places = new TreeSet<>();
    for (Map<String, Object> event : run.rows("run_events")) {
      if (event.get("kind").equals("transaction")) {
        assertThat(event.get("name")).isEqualTo("in_doubt");
        JsonNode detail = new ObjectMapper().readTree((String) event.get("detail"));
        for (JsonNode range : detail.get("offsets")) {
          for (long offset = range.get(1).asLong(); offset <= range.get(2).asLong(); offset++) {
            places.add(range.get(0).asLong() + "@" + offset);
          }
        }
      }
    }
    assertThat(places).hasSize(7);
    return places;
  }
}
