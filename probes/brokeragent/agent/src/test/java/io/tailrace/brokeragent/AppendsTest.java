// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.storage.internals.log.LogAppendInfo;
import org.apache.kafka.storage.internals.log.RecordValidationStats;
import org.junit.jupiter.api.Test;

class AppendsTest {
  private final Appends appends = new Appends();

  private void append(String topic, int partition, long first, int records) {
    LogAppendInfo info =
        new LogAppendInfo(
            first,
            first + records - 1,
            Optional.empty(),
            -1,
            -1,
            0,
            RecordValidationStats.EMPTY,
            CompressionType.NONE,
            100 * records,
            -1);
    appends.end(new TopicPartition(topic, partition), info, 1000 + partition);
  }

  @Test
  void anAppendIsFoundByPartitionAndOffsetInAnyOrder() {
    appends.begin();
    for (int partition = 0; partition < 40; partition++) {
      append("t", partition, 7, 3);
    }
    assertThat(appends.find("", 39, 7, 0)).isEqualTo(39);
    assertThat(appends.find("t", 0, 7, 39)).isZero();
    assertThat(appends.find("u", 0, 7, 0)).isEqualTo(-1);
    assertThat(appends.find("", 0, 8, 0)).isEqualTo(-1);
  }

  @Test
  void eachAppendHasItsOwnTimes() {
    appends.begin();
    appends.waitsForLock(10);
    appends.hasLock(15);
    appends.hasLock(99);
    appends.rolled(4);
    appends.flushed(2);
    append("t", 1, 0, 2);
    appends.begin();
    append("t", 2, 0, 5);

    RequestRow row = new RequestRow();
    appends.copy(0, row);
    assertThat(new long[] {row.log, row.lock, row.roll, row.flush}).containsExactly(1001, 5, 4, 2);
    assertThat(row.records).isEqualTo(2);
    appends.copy(1, row);
    assertThat(new long[] {row.log, row.lock, row.roll, row.flush}).containsExactly(1002, 0, 0, 0);
    assertThat(row.records).isEqualTo(5);
    assertThat(row.bytes).isEqualTo(500);
  }

  @Test
  void nothingIsLeftOfAnEarlierRequest() {
    appends.begin();
    append("t", 1, 0, 2);
    appends.clear();
    assertThat(appends.count()).isZero();
    assertThat(appends.find("", 1, 0, 0)).isEqualTo(-1);
  }
}
