// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.StreamReport;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Tailrace's own path: the load generator's classes, used as a run uses them. */
final class BlockPath implements EventPath {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private final URI collector;
  private EventPipeline pipeline;
  private PublishRecorder[] publishes;

  BlockPath(URI collector) {
    this.collector = collector;
  }

  @Override
  public void begin(String run) {
    Recorders recorders = new Recorders(Pipelines.RECORDER_BYTES);
    pipeline = Pipelines.start(collector, run, recorders);
    publishes =
        IntStream.range(0, MessageAttributes.TOPICS)
            .mapToObj(topic -> recorders.publishes(0, MessageAttributes.topic(topic)))
            .toArray(PublishRecorder[]::new);
  }

  @Override
  public void acked(Acks ack) {
    publishes[ack.topic()].acked(
        ack.partition(),
        ack.offset(),
        ack.intendedMicros(),
        ack.publishDelayMicros(),
        ack.ackMicros(),
        Acks.PAYLOAD_BYTES);
  }

  @Override
  public long end() {
    StreamReport report = pipeline.finish(List.of(), DEADLINE).streams().get("publishes");
    return report.lost().values().stream().mapToLong(Long::longValue).sum();
  }
}
