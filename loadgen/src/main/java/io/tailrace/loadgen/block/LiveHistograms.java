// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.contract.Stage;
import io.tailrace.loadgen.record.DeliveryRecorder;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.RowSegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Latencies so far, per stage and topic. The encoder thread counts them block by block; other
 * threads read them about once a second. They lag behind the recorders by about a second.
 * Thread-safe.
 */
public final class LiveHistograms {
  /** Topics beyond the first {@value} share the histogram {@value #OTHER_TOPICS}. */
  static final int MAX_TOPICS = 100;

  static final String OTHER_TOPICS = "other";

  private final Map<Stage, Map<String, LatencyHistogram>> byTopic = new EnumMap<>(Stage.class);
  private final Map<Stage, LatencyHistogram> atReset = new EnumMap<>(Stage.class);
  private final long[] maxSinceReset = new long[Stage.values().length];

  public LiveHistograms() {
    for (Stage stage : Stage.values()) {
      byTopic.put(stage, new TreeMap<>());
      atReset.put(stage, new LatencyHistogram());
    }
    Arrays.fill(maxSinceReset, Long.MIN_VALUE);
  }

  synchronized void observe(BlockStream stream, List<RowSegment> segments) {
    switch (stream) {
      case PUBLISHES -> segments.forEach(this::observePublishes);
      case DELIVERIES -> segments.forEach(this::observeDeliveries);
      default -> {}
    }
  }

  private void observePublishes(RowSegment rows) {
    long[] intended = rows.longs(PublishRecorder.LONG_INTENDED);
    long[] delay = rows.longs(PublishRecorder.LONG_PUBLISH_DELAY);
    long[] ack = rows.longs(PublishRecorder.LONG_ACK);
    LatencyHistogram publish = histogram(Stage.PUBLISH, rows);
    LatencyHistogram service = histogram(Stage.PUBLISH_SERVICE, rows);
    LatencyHistogram delays = histogram(Stage.PUBLISH_DELAY, rows);
    long maxPublish = Long.MIN_VALUE;
    long maxService = Long.MIN_VALUE;
    long maxDelay = Long.MIN_VALUE;
    for (int i = rows.from(); i < rows.from() + rows.rows(); i++) {
      long latency = ack[i] - intended[i];
      publish.add(latency);
      service.add(latency - delay[i]);
      delays.add(delay[i]);
      maxPublish = Math.max(maxPublish, latency);
      maxService = Math.max(maxService, latency - delay[i]);
      maxDelay = Math.max(maxDelay, delay[i]);
    }
    raiseMax(Stage.PUBLISH, maxPublish);
    raiseMax(Stage.PUBLISH_SERVICE, maxService);
    raiseMax(Stage.PUBLISH_DELAY, maxDelay);
  }

  private void observeDeliveries(RowSegment rows) {
    long[] intended = rows.longs(DeliveryRecorder.LONG_INTENDED);
    long[] receive = rows.longs(DeliveryRecorder.LONG_RECEIVE);
    LatencyHistogram endToEnd = histogram(Stage.END_TO_END, rows);
    long max = Long.MIN_VALUE;
    for (int i = rows.from(); i < rows.from() + rows.rows(); i++) {
      long latency = receive[i] - intended[i];
      endToEnd.add(latency);
      max = Math.max(max, latency);
    }
    raiseMax(Stage.END_TO_END, max);
  }

  private void raiseMax(Stage stage, long micros) {
    maxSinceReset[stage.ordinal()] = Math.max(maxSinceReset[stage.ordinal()], micros);
  }

  private LatencyHistogram histogram(Stage stage, RowSegment rows) {
    Map<String, LatencyHistogram> topics = byTopic.get(stage);
    String topic = rows.log().topic();
    LatencyHistogram known = topics.get(topic);
    if (known != null) {
      return known;
    }
    String key = topics.size() < MAX_TOPICS ? topic : OTHER_TOPICS;
    return topics.computeIfAbsent(key, k -> new LatencyHistogram());
  }

  /** Latency of a stage over all topics since the last {@link #reset}. */
  public synchronized StageLatency latency(Stage stage) {
    LatencyHistogram since = total(stage);
    since.merge(atReset.get(stage), -1);
    long max = since.count() == 0 ? 0 : maxSinceReset[stage.ordinal()];
    return new StageLatency(since.count(), since.quantile(0.5), since.quantile(0.99), max);
  }

  /** Restarts {@link #latency} from zero; the histograms per topic continue. */
  public synchronized void reset() {
    for (Stage stage : Stage.values()) {
      atReset.put(stage, total(stage));
    }
    Arrays.fill(maxSinceReset, Long.MIN_VALUE);
  }

  /** A copy of a stage's latencies since the start, over all topics. */
  public synchronized LatencyHistogram total(Stage stage) {
    LatencyHistogram total = new LatencyHistogram();
    byTopic.get(stage).values().forEach(topic -> total.merge(topic, 1));
    return total;
  }

  /** Visits the histograms of a stage since the start, by topic; the encoder waits meanwhile. */
  public synchronized void forEachTopic(Stage stage, BiConsumer<String, LatencyHistogram> visitor) {
    byTopic.get(stage).forEach(visitor);
  }
}
