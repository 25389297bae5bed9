// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.tailrace.loadgen.ship.StreamReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/**
 * summary.json: one worker's run in numbers.
 *
 * @param exit completed, interrupted, aborted (by {@code abortWhen}) or failed
 * @param failure the line that says what broke, or null
 * @param sent send() calls
 * @param aborted acknowledged messages in transactions that did not commit
 * @param received messages received, over all groups
 * @param redelivered of those, messages that a share group had handed out before
 * @param expectedReceived messages all groups together should receive: acknowledged and not aborted
 *     ones, once per group
 * @param drained whether every group received all that was acknowledged before the drain timed out
 * @param unsent messages that were due but not sent, because their producer was still behind at the
 *     end
 * @param foreign messages of other programs in the run's topics
 * @param verdicts phases that ended at their limit without what they waited for, a line each
 * @param streams fate of the recorded rows, by stream
 * @param unshipped rows whose fate is not known
 * @param phases the phases that came to pass, µs since 1970 UTC
 */
record Summary(
    @JsonProperty("run_id") String runId,
    int worker,
    String exit,
    String failure,
    long sent,
    long acked,
    long failed,
    long aborted,
    long received,
    long redelivered,
    @JsonProperty("expected_received") long expectedReceived,
    boolean drained,
    long unsent,
    long foreign,
    List<String> verdicts,
    Map<String, StreamReport> streams,
    long unshipped,
    List<Phase> phases) {

  record Phase(
      String name,
      @JsonProperty("start_us") long startMicros,
      @JsonProperty("end_us") long endMicros) {}

  void write(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    Files.createDirectories(parent);
    // Written beside and moved into place: a reader sees all of it or none.
    Path partial = Files.createTempFile(parent, file.getFileName().toString(), ".part");
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(partial.toFile(), this);
    Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
