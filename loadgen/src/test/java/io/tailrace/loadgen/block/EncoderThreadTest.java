// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tailrace.loadgen.contract.Stage;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class EncoderThreadTest {
  private final Recorders recorders = new Recorders(1 << 28);
  private final LiveHistograms histograms = new LiveHistograms();
  private final BlockingQueue<EncodedBlock> blocks = new LinkedBlockingQueue<>();
  private final List<Loss> notEncoded = new ArrayList<>();

  private EncoderThread encoder(Predicate<EncodedBlock> accepts) {
    BlockSink sink =
        new BlockSink() {
          @Override
          public boolean accept(EncodedBlock block) {
            return accepts.test(block) && blocks.add(block);
          }

          @Override
          public void notEncoded(BlockStream stream, Loss rows, Throwable cause) {
            notEncoded.add(rows);
          }
        };
    return new EncoderThread(recorders, "r", 0, 0, histograms, sink);
  }

  private void ack(PublishRecorder recorder, int rows) {
    for (int i = 0; i < rows; i++) {
      recorder.acked(0, i, 1_000, 20, 1_120, 10);
    }
  }

  @Test
  void aFewRowsBecomeABlockAfterASecond() throws InterruptedException {
    EncoderThread encoder = encoder(b -> true);
    encoder.start();
    ack(recorders.publishes(0, "a"), 3);
    EncodedBlock block = blocks.poll(30, TimeUnit.SECONDS);
    assertThat(block).isNotNull();
    assertThat(block.rows()).isEqualTo(3);
    encoder.finish();
    assertThat(blocks).isEmpty();
  }

  @Test
  void rowsOfManyRecordersShareOneBlock() throws InterruptedException {
    ack(recorders.publishes(0, "a"), 2_000);
    ack(recorders.publishes(1, "b"), 70_000);
    recorders.events().event(1, "phase", "end", "");
    EncoderThread encoder = encoder(b -> true);
    encoder.start();
    encoder.finish();
    assertThat(blocks)
        .extracting(EncodedBlock::stream, EncodedBlock::rows)
        .containsExactlyInAnyOrder(tuple("publishes", 72_000), tuple("run_events", 1));
  }

  @Test
  void aBacklogBecomesBlocksOfTheLargestSizeNumberedWithoutGaps() throws InterruptedException {
    ack(recorders.publishes(0, "a"), 600_000);
    EncoderThread encoder = encoder(b -> true);
    encoder.start();
    encoder.finish();
    assertThat(blocks).extracting(EncodedBlock::rows).containsExactly(262_144, 262_144, 75_712);
    assertThat(blocks).extracting(EncodedBlock::seq).containsExactly(0L, 1L, 2L);
  }

  @Test
  void rowsOfABlockAreInProducerOrderWhateverLogWasReadFirst() throws InterruptedException {
    for (int producer = 0; producer < 3; producer++) {
      ack(recorders.publishes(producer, "a"), 200_000);
    }
    EncoderThread encoder = encoder(b -> true);
    encoder.start();
    encoder.finish();
    assertThat(blocks).extracting(EncodedBlock::rows).containsExactly(262_144, 262_144, 75_712);
    for (EncodedBlock block : blocks) {
      List<Long> producers =
          NativeReader.column(block.bytes(), "producer").stream()
              .map(value -> ((Number) value).longValue())
              .toList();
      assertThat(producers).isSorted();
    }
  }

  @Test
  void theNumberOfADroppedBlockIsReused() throws InterruptedException {
    ack(recorders.publishes(0, "a"), 600_000);
    int[] offered = {0};
    EncoderThread encoder = encoder(b -> offered[0]++ != 1);
    encoder.start();
    encoder.finish();
    assertThat(blocks).extracting(EncodedBlock::rows).containsExactly(262_144, 75_712);
    assertThat(blocks).extracting(EncodedBlock::seq).containsExactly(0L, 1L);
  }

  @Test
  void rowsOfABlockThatCannotBeEncodedAreReportedAndEncodingContinues()
      throws InterruptedException {
    ack(recorders.publishes(0, "a"), 300_000);
    int[] offered = {0};
    EncoderThread encoder =
        encoder(
            b -> {
              if (offered[0]++ == 0) {
                throw new IllegalStateException("made to fail");
              }
              return true;
            });
    encoder.start();
    encoder.finish();
    assertThat(notEncoded).containsExactly(new Loss(262_144, 1_120, 1_120));
    assertThat(blocks).extracting(EncodedBlock::rows).containsExactly(37_856);
  }

  @Test
  void latenciesAreCountedFromTheBlocksSinceTheReset() throws InterruptedException {
    ack(recorders.publishes(0, "a"), 10);
    recorders.deliveries(0, 0, "a").received(0, 0, 0, 1_000, 900, 10, 0, 0);
    EncoderThread encoder = encoder(b -> true);
    encoder.start();
    encoder.finish();
    assertThat(histograms.latency(Stage.PUBLISH)).isEqualTo(new StageLatency(10, 120, 120, 120));
    assertThat(histograms.latency(Stage.PUBLISH_SERVICE))
        .isEqualTo(new StageLatency(10, 100, 100, 100));
    assertThat(histograms.latency(Stage.PUBLISH_DELAY)).isEqualTo(new StageLatency(10, 20, 20, 20));
    assertThat(histograms.latency(Stage.END_TO_END))
        .isEqualTo(new StageLatency(1, -100, -100, -100));
    histograms.reset();
    assertThat(histograms.latency(Stage.PUBLISH)).isEqualTo(new StageLatency(0, 0, 0, 0));
  }

  @Test
  void topicsBeyondTheHundredthShareAHistogram() throws InterruptedException {
    for (int i = 0; i < 103; i++) {
      ack(recorders.publishes(i, "topic-" + i), 2);
    }
    EncoderThread encoder = encoder(b -> true);
    encoder.start();
    encoder.finish();
    List<String> topics = new ArrayList<>();
    List<Long> counts = new ArrayList<>();
    histograms.forEachTopic(
        Stage.PUBLISH,
        (topic, histogram) -> {
          topics.add(topic);
          counts.add(histogram.count());
        });
    assertThat(topics).hasSize(101).contains("other").doesNotContain("topic-100");
    assertThat(counts.get(topics.indexOf("other"))).isEqualTo(6);
  }
}
