// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.contract.Streams;
import java.util.ArrayList;
import java.util.List;

/**
 * One column of a stream: its name, its ClickHouse type and the source of its values, of which it
 * may be one of several.
 */
record Column(String name, String type, Source source, int index) {
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

  private static final String UNTYPED = "";

  /** A stream's columns with the contract's types; names and order must be the contract's. */
  static List<Column> typed(String stream, Column... columns) {
    List<Column> typed = new ArrayList<>();
    for (Streams.Column declared : Streams.COLUMNS.get(stream)) {
      Column column = typed.size() < columns.length ? columns[typed.size()] : null;
      if (column == null || !column.name.equals(declared.name())) {
        throw new IllegalStateException(
            stream + ": contracts/streams.yaml has the column " + declared.name() + " here");
      }
      typed.add(new Column(column.name, declared.type(), column.source, column.index));
    }
    if (typed.size() < columns.length) {
      throw new IllegalStateException(
          stream + ": contracts/streams.yaml has no column " + columns[typed.size()].name);
    }
    return List.copyOf(typed);
  }

  static Column runId() {
    return untyped("run_id", Source.RUN_ID, 0);
  }

  static Column worker() {
    return untyped("worker", Source.WORKER, 0);
  }

  static Column topicOfRecorder() {
    return untyped("topic", Source.TOPIC, 0);
  }

  static Column id(String name, int index) {
    return untyped(name, Source.ID, index);
  }

  static Column int32(String name, int index) {
    return untyped(name, Source.INT, index);
  }

  static Column int64(String name, int index) {
    return untyped(name, Source.LONG, index);
  }

  static Column time(String name, int index) {
    return untyped(name, Source.LONG, index);
  }

  static Column text(String name, int index) {
    return untyped(name, Source.TEXT, index);
  }

  boolean isLowCardinality() {
    return type.startsWith("LowCardinality");
  }

  private static Column untyped(String name, Source source, int index) {
    return new Column(name, UNTYPED, source, index);
  }
}
