// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tailrace.loadgen.contract.Stage;
import io.tailrace.loadgen.record.DeliveryRecorder;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.record.Recorders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No latency is dropped or clipped on its way from the recorder to block and live histogram. */
class ExtremeLatencyTest {
  private static final long INTENDED = 1_768_471_200_000_000L;
  private static final long HOURS_40 = Duration.ofHours(40).toNanos() / 1000;

  private final Recorders recorders = new Recorders(1 << 24);
  private final LiveHistograms histograms = new LiveHistograms();
  private final List<EncodedBlock> blocks = new ArrayList<>();

  private void record(long... latencies) throws InterruptedException {
    DeliveryRecorder recorder = recorders.deliveries(0, 0, "t");
    for (int i = 0; i < latencies.length; i++) {
      recorder.received(0, 0, i, INTENDED, INTENDED + latencies[i], 100, i, 0);
    }
    BlockSink sink =
        new BlockSink() {
          @Override
          public boolean accept(EncodedBlock block) {
            return blocks.add(block);
          }

          @Override
          public void notEncoded(BlockStream stream, Loss rows, Throwable cause) {
            throw new AssertionError(cause);
          }
        };
    EncoderThread encoder = new EncoderThread(recorders, "r", 0, 0, histograms, sink);
    encoder.start();
    encoder.finish();
  }

  @ParameterizedTest
  @ValueSource(longs = {-5_000_000, -1, 0, 1, 999, 60_000_001, 43_200_000_001L})
  void oneExtremeLatencyIsKeptUnchanged(long latency) throws InterruptedException {
    record(latency);

    assertThat(blocks).hasSize(1);
    assertThat(NativeReader.rows(blocks.get(0).bytes()))
        .singleElement()
        .satisfies(
            row ->
                assertThat((Long) row.get("receive_time") - (Long) row.get("intended_time"))
                    .isEqualTo(latency));
    StageLatency live = histograms.latency(Stage.END_TO_END);
    assertThat(live.count()).isEqualTo(1);
    assertThat(live.maxMicros()).isEqualTo(latency);
  }

  @Test
  void fortyHoursAMicrosecondAndANegativeLatencyFitOneHistogram() throws InterruptedException {
    record(-250, 0, 1, 400, HOURS_40);

    StageLatency live = histograms.latency(Stage.END_TO_END);
    assertThat(live.count()).isEqualTo(5);
    assertThat(live.p50Micros()).isEqualTo(1);
    assertThat(live.p99Micros()).isCloseTo(HOURS_40, within(HOURS_40 / 250));
    assertThat(live.maxMicros()).isEqualTo(HOURS_40);
  }
}
