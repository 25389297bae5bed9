// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.kafka.LogOffsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * Where the logs of the run's topics begin and end, as the brokers state it: for the audit, to
 * which no consumer can prove what is in a log that none of them reads.
 */
final class RunLogs {
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final RunContext run;
  private final LogOffsets offsets;
  private Map<String, long[]> before = Map.of();
  private Map<String, long[]> starts = Map.of();
  private Map<String, long[]> ends = Map.of();

  RunLogs(RunContext run) {
    this.run = run;
    this.offsets = run.admin().offsets(run.load().partitions());
  }

  /** Before the first message of this worker. */
  void recordStart() {
    if (record("start")) {
      before = ends;
    }
  }

  /** After the last message of all workers; whether the brokers answered. */
  boolean recordEnd() {
    return record("end");
  }

  /** Where the logs ended before the first message. */
  Map<String, long[]> before() {
    return before;
  }

  /** Where they began when they were last recorded. */
  Map<String, long[]> starts() {
    return starts;
  }

  /** Where they ended when they were last recorded. */
  Map<String, long[]> ends() {
    return ends;
  }

  private boolean record(String name) {
    if (!run.waits().awaitDespiteEnd(ANSWER, this::read)) {
      run.reporter()
          .warn(
              "log_offsets",
              "no broker answered within %d s where the logs of the run's topics end",
              ANSWER.toSeconds());
      return false;
    }
    Map<String, String> settings = run.admin().deletingSettings().orElse(Map.of());
    ends.forEach(
        (topic, end) ->
            run.reporter()
                .event(
                    EventKinds.LOG,
                    name,
                    "{\"topic\":\"%s\",\"starts\":%s,\"ends\":%s,\"settings\":%s}",
                    topic,
                    json(starts.get(topic)),
                    json(end),
                    settings.getOrDefault(topic, "{}")));
    return true;
  }

  private boolean read() {
    Optional<Map<String, long[]>> first = offsets.starts();
    Optional<Map<String, long[]>> last = first.flatMap(found -> offsets.ends());
    last.ifPresent(
        found -> {
          starts = first.get();
          ends = found;
        });
    return last.isPresent();
  }

  private static String json(long[] numbers) {
    return Arrays.toString(numbers).replace(" ", "");
  }
}
