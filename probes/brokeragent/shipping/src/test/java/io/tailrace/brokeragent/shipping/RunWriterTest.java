// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent.shipping;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.brokeragent.RequestRow;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.BrokerRequestRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowSegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunWriterTest {
  private static final int[] STAGES = {
    BrokerRequestRecorder.INT_QUEUE,
    BrokerRequestRecorder.INT_LOCAL,
    BrokerRequestRecorder.INT_REMOTE,
    BrokerRequestRecorder.INT_RESPONSE_QUEUE,
    BrokerRequestRecorder.INT_SEND
  };

  private final NanoClock clock = NanoClock.system();
  private final Recorders recorders = new Recorders(1 << 20);
  private final RunWriter writer = new RunWriter(recorders.requests(1), clock);

  private static RequestRow row(long read, long... stages) {
    RequestRow row = new RequestRow();
    row.read = read;
    row.dequeued = row.read + stages[0];
    row.localDone = row.dequeued + stages[1];
    row.responseReady = row.localDone + stages[2];
    row.responseDequeued = row.responseReady + stages[3];
    row.sent = row.responseDequeued + stages[4];
    return row;
  }

  private RowSegment rows() {
    List<RowSegment> segments = new ArrayList<>();
    recorders.requestLogs().get(0).collect(100, segments);
    return segments.get(0);
  }

  @Test
  void stagesAddUpToTheWholeInMicroseconds() {
    long read = System.nanoTime();
    assertThat(writer.write(row(read, 999, 999, 999, 999, 999))).isTrue();
    RowSegment rows = rows();
    long sum = 0;
    for (int stage : STAGES) {
      sum += rows.ints(stage)[0];
    }
    assertThat(sum).isEqualTo(4);
    assertThat(rows.longs(BrokerRequestRecorder.LONG_READ)[0])
        .isBetween(clock.epochMicros(read) - 1, clock.epochMicros(read) + 1);
  }

  @Test
  void aTimeLongerThanItsColumnIsTheLongestThatFits() {
    writer.write(row(System.nanoTime(), 5_000_000_000_000L, 0, 0, 0, 0));
    assertThat(Integer.toUnsignedLong(rows().ints(BrokerRequestRecorder.INT_QUEUE)[0]))
        .isEqualTo(4_294_967_295L);
  }

  @Test
  void aClosedWriterTakesNoRow() {
    writer.close();
    assertThat(writer.write(row(System.nanoTime(), 1, 1, 1, 1, 1))).isFalse();
    assertThat(recorders.requestLogs().get(0).available()).isZero();
  }

  /** A row is either refused or seen by the one who closed: none is written afterwards. */
  @Test
  void closingWaitsForTheRowThatIsBeingWritten() throws InterruptedException {
    for (int round = 0; round < 200; round++) {
      Recorders own = new Recorders(1 << 20);
      RunWriter raced = new RunWriter(own.requests(1), clock);
      Thread network =
          new Thread(
              () -> {
                RequestRow row = row(System.nanoTime(), 1, 1, 1, 1, 1);
                for (int i = 0; i < 1000 && raced.write(row); i++) {
                  Thread.onSpinWait();
                }
              });
      network.start();
      raced.close();
      long atClose = own.requestLogs().get(0).published();
      network.join();
      assertThat(own.requestLogs().get(0).published()).isEqualTo(atClose);
    }
  }
}
