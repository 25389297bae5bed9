// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import scala.Tuple2;
import scala.collection.Seq;

/**
 * A row for each partition of a fetch's response. Within a session these are the partitions with
 * news alone, so an empty response has no row. The offset is not in the response: it is that of the
 * partitions that the handler read.
 */
final class FetchRows {
  private FetchRows() {}

  static void write(PendingRequest pending, RequestRow row, RequestRows into) {
    if (!(pending.response instanceof FetchResponse response)) {
      return;
    }
    row.log = 0;
    row.lock = 0;
    row.roll = 0;
    row.flush = 0;
    row.records = 0;
    Seq<?> fetched = pending.fetched instanceof Seq<?> seq ? seq : null;
    int next = 0;
    List<FetchableTopicResponse> topics = response.data().responses();
    for (int i = 0; i < topics.size(); i++) {
      FetchableTopicResponse topic = topics.get(i);
      String name = name(topic);
      List<PartitionData> partitions = topic.partitions();
      for (int j = 0; j < partitions.size(); j++) {
        PartitionData partition = partitions.get(j);
        row.topic = name;
        row.partition = partition.partitionIndex();
        row.offset = -1;
        row.highWatermark = partition.highWatermark();
        row.bytes = partition.records() == null ? 0 : partition.records().sizeInBytes();
        row.error = RequestReader.error(partition.errorCode());
        next = offset(fetched, next, topic, row);
        into.write(row);
      }
    }
  }

  /** Empty if the broker does not know the topic, such as one that was made just now. */
  static String name(FetchableTopicResponse topic) {
    return topic.topic() == null ? "" : topic.topic();
  }

  /** Sets topic and offset as the handler read them, and returns where to search next. */
  private static int offset(
      Seq<?> fetched, int from, FetchableTopicResponse topic, RequestRow row) {
    int count = fetched == null ? 0 : fetched.length();
    for (int i = 0; i < count; i++) {
      int at = (from + i) % count;
      Tuple2<?, ?> pair = (Tuple2<?, ?>) fetched.apply(at);
      TopicIdPartition read = (TopicIdPartition) pair._1();
      if (read.partition() == row.partition
          && (row.topic.isEmpty()
              ? read.topicId().equals(topic.topicId())
              : row.topic.equals(read.topic()))) {
        row.topic = read.topic() == null ? "" : read.topic();
        row.offset = ((FetchRequest.PartitionData) pair._2()).fetchOffset;
        return at + 1;
      }
    }
    return from;
  }
}
