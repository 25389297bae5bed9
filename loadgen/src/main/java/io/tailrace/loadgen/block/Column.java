// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.contract.Streams;
import java.util.ArrayList;
import java.util.List;

/** One column of a stream: name, ClickHouse type, and source of its values with an index. */
record Column(String name, String type, Source source, int index) {
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
    TEXT
  }

  /** A stream's columns with the contract's types; names and order must be the contract's. */
  static List<Column> typed(String stream, List<Column> columns) {
    List<Column> typed = new ArrayList<>();
    for (Streams.Column declared : Streams.COLUMNS.get(stream)) {
      Column column = typed.size() < columns.size() ? columns.get(typed.size()) : null;
      if (column == null || !column.name.equals(declared.name())) {
        throw new IllegalStateException(
            stream + ": contracts/streams.yaml has the column " + declared.name() + " here");
      }
      typed.add(new Column(column.name, declared.type(), column.source, column.index));
    }
    if (typed.size() < columns.size()) {
      throw new IllegalStateException(
          stream + ": contracts/streams.yaml has no column " + columns.get(typed.size()).name);
    }
    return List.copyOf(typed);
  }

  /** A column whose type the contract gives. */
  Column(String name, Source source, int index) {
    this(name, "", source, index);
  }

  boolean isLowCardinality() {
    return type.startsWith("LowCardinality");
  }
}
