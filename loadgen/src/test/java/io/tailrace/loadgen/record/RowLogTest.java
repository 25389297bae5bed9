// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowLogTest {
  private static final long CHUNK_BYTES = RowChunk.Shape.NUMBERS.bytes();

  private final Recorders recorders = new Recorders(2 * CHUNK_BYTES);

  private static void ack(PublishRecorder recorder, long n) {
    recorder.acked((int) n, n, n, n, n, (int) n);
  }

  private static List<Long> read(RowLog log, int maxRows) {
    List<RowSegment> segments = new ArrayList<>();
    log.collect(maxRows, segments);
    List<Long> offsets = new ArrayList<>();
    for (RowSegment s : segments) {
      for (int i = s.from(); i < s.from() + s.rows(); i++) {
        offsets.add(s.longs(PublishRecorder.LONG_OFFSET)[i]);
      }
    }
    log.release();
    return offsets;
  }

  @Test
  void rowsOfAnUnfinishedChunkCanBeRead() {
    PublishRecorder recorder = recorders.publishes(7, "t");
    RowLog log = recorders.publishLogs().get(0);
    assertThat(read(log, 10)).isEmpty();
    ack(recorder, 1);
    ack(recorder, 2);
    assertThat(read(log, 1)).containsExactly(1L);
    ack(recorder, 3);
    assertThat(read(log, 10)).containsExactly(2L, 3L);
    assertThat(read(log, 10)).isEmpty();
  }

  @Test
  void everyColumnComesBackAsRecorded() {
    Recorders recorders = new Recorders(10 * CHUNK_BYTES);
    recorders.publishes(7, "orders").acked(1, 2, 3, -4, 5, 6);
    recorders.deliveries(8, 9, "orders").received(10, 11, 12, 13, 14, 15, 21, 23);
    recorders.failures().failed(16, "lost", -1, 17, 18, 19, 20, "TimeoutException", 22, 24);
    List<RowSegment> segments = new ArrayList<>();
    recorders.publishLogs().get(0).collect(1, segments);
    recorders.deliveryLogs().get(0).collect(1, segments);
    recorders.failureLogs().get(0).collect(1, segments);
    RowSegment publish = segments.get(0);
    assertThat(publish.log().topic()).isEqualTo("orders");
    assertThat(publish.log().id(PublishRecorder.ID_PRODUCER)).isEqualTo(7);
    assertThat(publish.ints(PublishRecorder.INT_PARTITION)[0]).isEqualTo(1);
    assertThat(publish.longs(PublishRecorder.LONG_OFFSET)[0]).isEqualTo(2);
    assertThat(publish.longs(PublishRecorder.LONG_INTENDED)[0]).isEqualTo(3);
    assertThat(publish.longs(PublishRecorder.LONG_PUBLISH_DELAY)[0]).isEqualTo(-4);
    assertThat(publish.longs(PublishRecorder.LONG_ACK)[0]).isEqualTo(5);
    assertThat(publish.ints(PublishRecorder.INT_PAYLOAD_BYTES)[0]).isEqualTo(6);
    RowSegment delivery = segments.get(1);
    assertThat(delivery.log().id(DeliveryRecorder.ID_SUBSCRIPTION)).isEqualTo(8);
    assertThat(delivery.log().id(DeliveryRecorder.ID_CONSUMER)).isEqualTo(9);
    assertThat(delivery.ints(DeliveryRecorder.INT_PRODUCER)[0]).isEqualTo(10);
    assertThat(delivery.ints(DeliveryRecorder.INT_PARTITION)[0]).isEqualTo(11);
    assertThat(delivery.longs(DeliveryRecorder.LONG_OFFSET)[0]).isEqualTo(12);
    assertThat(delivery.longs(DeliveryRecorder.LONG_INTENDED)[0]).isEqualTo(13);
    assertThat(delivery.longs(DeliveryRecorder.LONG_RECEIVE)[0]).isEqualTo(14);
    assertThat(delivery.ints(DeliveryRecorder.INT_PAYLOAD_BYTES)[0]).isEqualTo(15);
    assertThat(delivery.longs(DeliveryRecorder.LONG_SEQUENCE)[0]).isEqualTo(21);
    assertThat(delivery.ints(DeliveryRecorder.INT_TIE)[0]).isEqualTo(23);
    RowSegment failure = segments.get(2);
    assertThat(failure.texts(FailureRecorder.TEXT_TOPIC)[0]).isEqualTo("lost");
    assertThat(failure.texts(FailureRecorder.TEXT_ERROR_CLASS)[0]).isEqualTo("TimeoutException");
    assertThat(failure.ints(FailureRecorder.INT_PRODUCER)[0]).isEqualTo(16);
    assertThat(failure.longs(FailureRecorder.LONG_FAIL)[0]).isEqualTo(19);
    assertThat(failure.longs(FailureRecorder.LONG_SEQUENCE)[0]).isEqualTo(22);
    assertThat(failure.ints(FailureRecorder.INT_TIE)[0]).isEqualTo(24);
  }

  @Test
  void rowsBeyondTheBudgetAreCountedAsLostWithTheirTimes() {
    PublishRecorder recorder = recorders.publishes(0, "t");
    RowLog log = recorders.publishLogs().get(0);
    int kept = 2 * RowChunk.ROWS;
    for (int n = 0; n < kept + 5; n++) {
      ack(recorder, n);
    }
    assertThat(log.published()).isEqualTo(kept);
    assertThat(log.loss()).isEqualTo(new Loss(5, kept, kept + 4));

    assertThat(read(log, kept)).hasSize(kept).startsWith(0L).endsWith(kept - 1L);
    ack(recorder, kept + 5);
    assertThat(read(log, kept)).containsExactly(kept + 5L);
    assertThat(log.loss().events()).isEqualTo(5);
  }

  @Test
  void rowsKeptByOneRecorderAreNoLossOfAnother() {
    PublishRecorder greedy = recorders.publishes(0, "t");
    PublishRecorder modest = recorders.publishes(1, "t");
    ack(modest, 1);
    for (int n = 0; n < 2 * RowChunk.ROWS; n++) {
      ack(greedy, n);
    }
    ack(modest, 2);
    assertThat(recorders.publishLogs().get(0).loss().events()).isEqualTo(RowChunk.ROWS);
    assertThat(recorders.publishLogs().get(1).loss()).isNull();
    assertThat(recorders.publishLogs().get(1).published()).isEqualTo(2);
  }

  @Test
  void aFullBudgetLeavesRoomForEvents() {
    PublishRecorder recorder = recorders.publishes(0, "t");
    for (int n = 0; n < 3 * RowChunk.ROWS; n++) {
      ack(recorder, n);
    }
    recorders.events().event(1, "phase", "end", "");
    assertThat(recorders.eventLogs().get(0).published()).isEqualTo(1);
  }

  @Test
  void aBacklogOfMessagesLeavesRoomForFailuresDuringAndAfterIt() {
    PublishRecorder recorder = recorders.publishes(0, "t");
    for (int n = 0; n < 3 * RowChunk.ROWS; n++) {
      ack(recorder, n);
    }
    fail(1_000);
    read(recorders.publishLogs().get(0), 2 * RowChunk.ROWS);
    fail(1_000);
    RowLog failures = recorders.failureLogs().get(0);
    assertThat(failures.loss()).isNull();
    assertThat(failures.published()).isEqualTo(2_000);
  }

  private void fail(int messages) {
    for (int n = 0; n < messages; n++) {
      recorders.failures().failed(0, "t", -1, n, 0, n, 100, "TimeoutException", n, 0);
    }
  }
}
