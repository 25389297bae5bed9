// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/** Records events of the run and leaders of partitions, at a low rate. Any thread. */
public final class EventRecorder {
  public static final int LONG_TIME = 0;
  public static final int TEXT_KIND = 0;
  public static final int TEXT_NAME = 1;
  public static final int TEXT_DETAIL = 2;
  public static final int INT_PARTITION = 0;
  public static final int INT_LEADER = 1;
  public static final int TEXT_TOPIC = 0;
  public static final int TEXT_LEADER_HOST = 1;

  private final RowLog events;
  private final RowLog leaders;

  EventRecorder(RowLog events, RowLog leaders) {
    this.events = events;
    this.leaders = leaders;
  }

  /** Records an event of a kind of the contract; µs since 1970, the detail text, JSON or empty. */
  public void event(long timeMicros, String kind, String name, String detail) {
    synchronized (events) {
      RowChunk chunk = events.reserve(timeMicros);
      if (chunk == null) {
        return;
      }
      int row = events.row();
      chunk.longs[LONG_TIME][row] = timeMicros;
      chunk.texts[TEXT_KIND][row] = kind;
      chunk.texts[TEXT_NAME][row] = name;
      chunk.texts[TEXT_DETAIL][row] = detail;
      events.publish();
    }
  }

  /**
   * Records the leader of a partition, first seen at a time in µs since 1970: broker id and the
   * host that it advertises; −1 and empty for none.
   */
  public void leader(long timeMicros, String topic, int partition, int leader, String leaderHost) {
    synchronized (leaders) {
      RowChunk chunk = leaders.reserve(timeMicros);
      if (chunk == null) {
        return;
      }
      int row = leaders.row();
      chunk.longs[LONG_TIME][row] = timeMicros;
      chunk.ints[INT_PARTITION][row] = partition;
      chunk.ints[INT_LEADER][row] = leader;
      chunk.texts[TEXT_TOPIC][row] = topic;
      chunk.texts[TEXT_LEADER_HOST][row] = leaderHost;
      leaders.publish();
    }
  }
}
