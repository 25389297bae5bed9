// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.tailrace.loadgen.kafka.EventCount;
import io.tailrace.loadgen.kafka.ReceivedCounts;
import io.tailrace.loadgen.ship.ShipReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** summary.json: one worker's run in numbers. */
final class SummaryFile {
  private SummaryFile() {}

  static void write(
      Path file, RunContext run, boolean drained, List<String> missedGoals, ShipReport report)
      throws IOException {
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("run_id", run.plan().runId());
    summary.put("worker", run.plan().worker());
    // completed, interrupted, aborted (by abortWhen) or failed; and what broke
    summary.put("exit", run.state().exit());
    summary.put("failure", run.state().failure().orElse(null));
    addCounts(summary, run.load(), drained);
    summary.put("verdicts", missedGoals);
    summary.put("streams", report.streams());
    // rows whose fate is unknown
    summary.put("unshipped", report.unshipped());
    summary.put("phases", run.timeline().phases());
    writeWhole(file, summary);
  }

  private static void addCounts(Map<String, Object> summary, Load load, boolean drained) {
    ReceivedCounts received = load.counted();
    summary.put("sent", load.sent());
    summary.put("acked", load.acked());
    summary.put("failed", load.failed());
    // acknowledged messages in aborted transactions, and in transactions in doubt
    summary.put("aborted", load.aborted().count());
    summary.put("in_doubt", load.inDoubt().count());
    // over all groups; of those, messages that a share group had handed out before
    summary.put("received", received.messages().count());
    summary.put("redelivered", received.redelivered().count());
    // messages acknowledged and neither aborted nor in doubt, once per group
    summary.put("expected_received", load.expectedReceived());
    summary.put("drained", drained);
    // overdue messages: their producer was still behind at the end
    summary.put("unsent", load.unsent().values().stream().mapToLong(EventCount::count).sum());
    // messages of other programs in the run's topics
    summary.put("foreign", received.foreign().count());
    // messages of other runs in them
    summary.put("other_run", received.otherRuns().count());
  }

  /** Written beside and moved into place: a reader sees all of it or none. */
  private static void writeWhole(Path file, Map<String, Object> summary) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    Files.createDirectories(parent);
    Path partial = Files.createTempFile(parent, file.getFileName().toString(), ".part");
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(partial.toFile(), summary);
    Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
