// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;

/**
 * A request that produces, partition by partition. Parts may be removed; then the proxy answers for
 * them.
 */
final class ProduceParts {
  /** The messages for one partition; {@code topic} as the request names it, by name or by id. */
  record Part(TopicPartition place, TopicProduceData topic, MemoryRecords records, long messages) {
    Record first() {
      return Batches.first(records);
    }
  }

  private record Removed(Part part, long offset, Errors error) {}

  private final Exchange exchange;
  private final ProduceRequestData data;
  private final List<Part> parts = new ArrayList<>();
  private final List<Removed> removed = new ArrayList<>();
  private final List<Consumer<ProduceResponseData>> listeners = new ArrayList<>();

  private ProduceParts(Exchange exchange) {
    this.exchange = exchange;
    this.data = ((ProduceRequest) Wire.request(exchange)).data();
  }

  static ProduceParts of(Exchange exchange, Traffic traffic) {
    ProduceParts request = new ProduceParts(exchange);
    for (TopicProduceData topic : request.data.topicData()) {
      String name = traffic.topic(topic.name(), topic.topicId());
      for (PartitionProduceData partition : topic.partitionData()) {
        MemoryRecords records = (MemoryRecords) partition.records();
        TopicPartition place = new TopicPartition(name, partition.index());
        request.parts.add(new Part(place, topic, records, Batches.count(records)));
      }
    }
    return request;
  }

  List<Part> parts() {
    return parts;
  }

  boolean answered() {
    return data.acks() != 0;
  }

  boolean isEmpty() {
    return removed.size() == parts.size();
  }

  void remove(Part part, long offset, Errors error) {
    removed.add(new Removed(part, offset, error));
  }

  /** What is called with the broker's answer. */
  void whenAnswered(Consumer<ProduceResponseData> listener) {
    listeners.add(listener);
  }

  /** The request without what was removed; the same bytes where nothing was. */
  Exchange changed() {
    Exchange result = exchange;
    if (!removed.isEmpty() && !isEmpty()) {
      for (Removed each : removed) {
        each.part.topic.partitionData().removeIf(p -> p.index() == each.part.place.partition());
      }
      data.topicData().removeIf(topic -> topic.partitionData().isEmpty());
      result = Wire.exchange(exchange.header, data);
    }
    if (!removed.isEmpty() || !listeners.isEmpty()) {
      Exchange sent = result;
      sent.edit = answer -> completed(sent, answer);
    }
    return result;
  }

  private ByteBuffer completed(Exchange sent, ByteBuffer answer) {
    ProduceResponseData body = ((ProduceResponse) Wire.answer(sent, answer)).data();
    listeners.forEach(listener -> listener.accept(body));
    if (removed.isEmpty()) {
      return answer;
    }
    removed.forEach(each -> add(body, each));
    return Wire.answerFrame(sent.header, body);
  }

  /** The answer to a request of which all was removed. */
  ByteBuffer ownAnswer() {
    ProduceResponseData body = new ProduceResponseData();
    removed.forEach(each -> add(body, each));
    return Wire.answerFrame(exchange.header, body);
  }

  private static void add(ProduceResponseData body, Removed removed) {
    TopicProduceData asked = removed.part.topic;
    TopicProduceResponse topic = body.responses().find(asked.name(), asked.topicId());
    if (topic == null) {
      topic = new TopicProduceResponse().setName(asked.name()).setTopicId(asked.topicId());
      body.responses().add(topic);
    }
    topic
        .partitionResponses()
        .add(
            new PartitionProduceResponse()
                .setIndex(removed.part.place.partition())
                .setErrorCode(removed.error.code())
                .setBaseOffset(removed.offset));
  }

  /** A request like this one with these records for one partition alone. */
  Exchange only(Part part, MemoryRecords records, int correlationId) {
    TopicProduceData topic =
        new TopicProduceData().setName(part.topic.name()).setTopicId(part.topic.topicId());
    topic
        .partitionData()
        .add(new PartitionProduceData().setIndex(part.place.partition()).setRecords(records));
    ProduceRequestData body =
        new ProduceRequestData()
            .setAcks(data.acks())
            .setTimeoutMs(data.timeoutMs())
            .setTransactionalId(data.transactionalId());
    body.topicData().add(topic);
    return Wire.exchange(Wire.numbered(exchange.header, correlationId), body);
  }

  static long offset(Exchange sent, ByteBuffer answer, Part part) {
    return offset(((ProduceResponse) Wire.answer(sent, answer)).data(), part);
  }

  /** The offset that the broker gave the part; its error, negative, where it refused it. */
  static long offset(ProduceResponseData answer, Part part) {
    var topic = answer.responses().find(part.topic.name(), part.topic.topicId());
    return topic.partitionResponses().stream()
        .filter(each -> each.index() == part.place.partition())
        .mapToLong(each -> each.errorCode() == 0 ? each.baseOffset() : -each.errorCode())
        .findFirst()
        .orElse(-1);
  }
}
