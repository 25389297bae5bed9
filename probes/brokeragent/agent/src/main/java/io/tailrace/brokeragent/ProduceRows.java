// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import java.util.List;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.requests.ProduceResponse;

/**
 * A row for each partition of a produce request. Newer requests name topics by id alone; the name
 * is that of the log that was appended to, and is empty if there was none.
 */
final class ProduceRows {
  private ProduceRows() {}

  static void write(PendingRequest pending, RequestRow row, RequestRows into) {
    row.highWatermark = -1;
    if (pending.response instanceof ProduceResponse response) {
      int from = 0;
      for (TopicProduceResponse topic : response.data().responses()) {
        from = write(topic, pending.appends, from, row, into);
      }
    } else {
      row.error = "";
      for (int i = 0; i < pending.appends.count(); i++) {
        pending.appends.copy(i, row);
        into.write(row);
      }
    }
  }

  private static int write(
      TopicProduceResponse topic, Appends appends, int from, RequestRow row, RequestRows into) {
    List<PartitionProduceResponse> partitions = topic.partitionResponses();
    String name = topic.name() == null ? "" : topic.name();
    int next = from;
    for (int i = 0; i < partitions.size(); i++) {
      PartitionProduceResponse partition = partitions.get(i);
      row.error = RequestReader.error(partition.errorCode());
      int at = appends.find(name, partition.index(), partition.baseOffset(), next);
      if (at >= 0) {
        appends.copy(at, row);
        next = at + 1;
      } else {
        notAppended(name, partition, row);
      }
      into.write(row);
    }
    return next;
  }

  private static void notAppended(
      String topic, PartitionProduceResponse partition, RequestRow row) {
    row.topic = topic;
    row.partition = partition.index();
    row.offset = partition.baseOffset();
    row.records = 0;
    row.bytes = 0;
    row.log = 0;
    row.lock = 0;
    row.roll = 0;
    row.flush = 0;
  }
}
