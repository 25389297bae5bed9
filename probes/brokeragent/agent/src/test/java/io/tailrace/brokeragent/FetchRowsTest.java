// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.junit.jupiter.api.Test;

class FetchRowsTest {
  /** A follower fetches a new topic by its id before the leader knows the topic. */
  @Test
  void aTopicThatTheBrokerDoesNotKnowHasNoName() {
    PartitionData partition =
        new PartitionData().setPartitionIndex(3).setErrorCode(Errors.UNKNOWN_TOPIC_ID.code());
    LinkedHashMap<TopicIdPartition, PartitionData> fetched = new LinkedHashMap<>();
    fetched.put(new TopicIdPartition(Uuid.randomUuid(), 3, null), partition);
    PendingRequest pending = new PendingRequest();
    pending.response = FetchResponse.of(Errors.NONE, 0, 0, fetched, List.of());
    List<String> written = new ArrayList<>();
    FetchRows.write(
        pending,
        new RequestRow(),
        new RequestRows() {
          @Override
          public void write(RequestRow row) {
            written.add(row.topic + "/" + row.partition + " " + row.error + " " + row.offset);
          }

          @Override
          public void missed(String clientId) {}

          @Override
          public void ended() {}
        });
    assertThat(written).containsExactly("/3 UNKNOWN_TOPIC_ID -1");
  }
}
