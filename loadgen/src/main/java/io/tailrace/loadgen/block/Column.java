// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

/**
 * One column of a stream: its name, its ClickHouse type and the source of its values.
 *
 * @param name column name
 * @param type ClickHouse type as written in the block
 * @param source where its values come from
 * @param index index within the source, if the source has several
 */
record Column(String name, String type, Source source, int index) {
  static final String LOW_CARDINALITY = "LowCardinality(String)";
  static final String TIME = "DateTime64(6, 'UTC')";

  /** Where a value comes from. */
  enum Source {
    /** The run id, the same in every row. */
    RUN_ID,
    /** The worker number, the same in every row. */
    WORKER,
    /** A number of the recorder, the same in all its rows; 2 or 4 bytes by type. */
    ID,
    /** The topic of the recorder, the same in all its rows. */
    TOPIC,
    /** A recorded 32-bit number. */
    INT,
    /** A recorded 64-bit number or time. */
    LONG,
    /** A recorded text. */
    TEXT
  }

  static Column runId() {
    return new Column("run_id", LOW_CARDINALITY, Source.RUN_ID, 0);
  }

  static Column worker() {
    return new Column("worker", "UInt16", Source.WORKER, 0);
  }

  static Column topicOfRecorder() {
    return new Column("topic", LOW_CARDINALITY, Source.TOPIC, 0);
  }

  static Column id(String name, String type, int index) {
    return new Column(name, type, Source.ID, index);
  }

  static Column int32(String name, String type, int index) {
    return new Column(name, type, Source.INT, index);
  }

  static Column int64(String name, String type, int index) {
    return new Column(name, type, Source.LONG, index);
  }

  static Column time(String name, int index) {
    return new Column(name, TIME, Source.LONG, index);
  }

  static Column text(String name, String type, int index) {
    return new Column(name, type, Source.TEXT, index);
  }
}
