// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.contract.LossReasons;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.WorkerId;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Starts pipelines for tests, records rows and checks the resulting sums. */
final class PipelineFixture {
  static final LiveCounters COUNTERS = new LiveCounters(() -> 11, () -> 12, () -> 13, () -> 14);

  private PipelineFixture() {}

  static PipelineConfig config(URI endpoint, long maxUnshippedBytes) {
    return new PipelineConfig(
        endpoint, new WorkerId("run-1", 2), 4, maxUnshippedBytes, COUNTERS, OtlpTls.NONE);
  }

  static EventPipeline start(FakeCollector collector, Recorders recorders) {
    return EventPipeline.start(
        config(collector.endpoint(), 1 << 28), recorders, Duration.ofSeconds(30), null);
  }

  /** Records {@code rows} messages with offsets from {@code first} on. */
  static void ack(PublishRecorder recorder, long first, int rows) {
    for (long offset = first; offset < first + rows; offset++) {
      recorder.acked(0, offset, 1_000 + offset, 5, 3_000 + offset, 100);
    }
  }

  static void waitUntil(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time: " + what).isLessThan(end);
      LockSupport.parkNanos(2_000_000);
    }
  }

  /**
   * Checks that every stream adds up, and that the collector has exactly what was reported stored.
   */
  static void assertExact(FakeCollector collector, ShipReport report) {
    assertThat(collector.complaints()).isEmpty();
    report
        .streams()
        .forEach(
            (stream, r) -> {
              long lost = r.lost().values().stream().mapToLong(Long::longValue).sum();
              assertThat(r.stored() + lost).as(stream).isEqualTo(r.recorded());
              if (!r.lost().containsKey(LossReasons.UNSHIPPED_AT_DEADLINE)) {
                assertThat(collector.rowCount(stream)).as(stream).isEqualTo(r.stored());
              }
            });
  }

  /** The ledger as {@code stream kind reason = events}. */
  static Set<String> ledger(FakeCollector collector) {
    List<Map<String, Object>> rows = collector.rows("ledger");
    return rows.stream()
        .map(
            r ->
                (r.get("stream") + " " + r.get("kind") + " " + r.get("reason")).strip()
                    + " = "
                    + r.get("events"))
        .collect(Collectors.toSet());
  }
}
