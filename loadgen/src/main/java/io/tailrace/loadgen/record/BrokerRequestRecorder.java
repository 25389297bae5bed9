// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/** Records the requests that one network thread of a broker has answered. For that thread only. */
public final class BrokerRequestRecorder {
  public static final int ID_BROKER = 0;
  public static final int LONG_OFFSET = 0;
  public static final int LONG_HIGH_WATERMARK = 1;
  public static final int LONG_READ = 2;
  public static final int LONGS = 3;
  public static final int INT_REPLICA = 0;
  public static final int INT_CORRELATION_ID = 1;
  public static final int INT_PARTITION = 2;
  public static final int INT_RECORDS = 3;
  public static final int INT_BYTES = 4;
  public static final int INT_QUEUE = 5;
  public static final int INT_LOCAL = 6;
  public static final int INT_REMOTE = 7;
  public static final int INT_RESPONSE_QUEUE = 8;
  public static final int INT_SEND = 9;
  public static final int INT_THROTTLE = 10;
  public static final int INT_LOG = 11;
  public static final int INT_LOCK = 12;
  public static final int INT_ROLL = 13;
  public static final int INT_FLUSH = 14;
  public static final int INTS = 15;
  public static final int TEXT_API = 0;
  public static final int TEXT_CLIENT_ID = 1;
  public static final int TEXT_CONNECTION = 2;
  public static final int TEXT_TOPIC = 3;
  public static final int TEXT_ANSWERED = 4;
  public static final int TEXT_ERROR = 5;
  public static final int TEXTS = 6;

  private final RowLog log;

  BrokerRequestRecorder(RowLog log) {
    this.log = log;
  }

  /** Counts a request that is not recorded as lost. */
  public void missed(long timeMicros) {
    log.lose(timeMicros);
  }

  /** Copies one row, its values at the positions above. */
  public void answered(long[] longs, int[] ints, String[] texts) {
    RowChunk chunk = log.reserve(longs[LONG_READ]);
    if (chunk == null) {
      return;
    }
    int row = log.row();
    for (int i = 0; i < LONGS; i++) {
      chunk.longs[i][row] = longs[i];
    }
    for (int i = 0; i < INTS; i++) {
      chunk.ints[i][row] = ints[i];
    }
    for (int i = 0; i < TEXTS; i++) {
      chunk.texts[i][row] = texts[i];
    }
    log.publish();
  }
}
