// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.record.BrokerRequestRecorder;
import io.tailrace.loadgen.record.Recorders;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The rows of testdata/blocks that a broker's agent records. */
final class GoldenRequests {
  private GoldenRequests() {}

  /** Numbers that are above 31 bits as they are stored; no offset, no partition, no replica. */
  static List<Map<String, Object>> record(Recorders recorders, long t0) {
    List<Map<String, Object>> rows = new ArrayList<>();
    BrokerRequestRecorder recorder = recorders.requests(70_000);
    String[] apis = {"produce", "fetch", "fetch"};
    String[] errors = {"", "NOT_LEADER_OR_FOLLOWER", ""};
    for (int i = 0; i < apis.length; i++) {
      long[] longs = {5_000_000_000L * i - 1, 9_007_199_254_740_993L, t0 + i};
      int[] ints = {i - 1, 1 << 30, i - 1, i, i, 1, 2, 3, 4, -1, 5, 6, 7, 8, 9};
      String[] texts = {apis[i], "golden-producer-" + i, "", "orders", "at_once", errors[i]};
      recorder.answered(longs, ints, texts);
      Object[] values = {
        70_000,
        apis[i],
        i - 1,
        texts[1],
        "",
        1 << 30,
        "orders",
        i - 1,
        longs[0],
        i,
        i,
        longs[1],
        "at_once",
        errors[i],
        t0 + i,
        1,
        2,
        3,
        4,
        4_294_967_295L,
        5,
        6,
        7,
        8,
        9
      };
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("run_id", GoldenRows.RUN_ID);
      row.put("worker", GoldenRows.WORKER);
      for (int column = 0; column < values.length; column++) {
        row.put(BlockStream.BROKER_REQUESTS.columns().get(column + 2).name(), values[column]);
      }
      rows.add(row);
    }
    return rows;
  }
}
