// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;

/**
 * Anomalies of requests that produce. Such a request has one partition alone, that of the anomaly.
 */
final class ProduceAnomalies {
  private static final int RUN = 24;
  // The clients number their requests from 0.
  private static final int OWN_NUMBERS = Integer.MIN_VALUE;

  private static final Anomaly.Kind[] KINDS = {
    Anomaly.Kind.DROP,
    Anomaly.Kind.DROP_TAIL,
    Anomaly.Kind.DOUBLE,
    Anomaly.Kind.DOUBLE_AS_OTHER,
    Anomaly.Kind.SWAP,
    Anomaly.Kind.LOSE_ANSWER,
    Anomaly.Kind.REFUSE,
    Anomaly.Kind.FOREIGN,
    Anomaly.Kind.OTHER_RUN
  };

  /** The part of a request that belongs to one partition. */
  private record Part(TopicPartition place, MemoryRecords records, int messages) {
    Record first() {
      return Batches.first(records);
    }
  }

  private record Held(Link link, Exchange exchange, Anomaly anomaly) {}

  private final Traffic traffic;
  private final Map<TopicPartition, Long> seen = new HashMap<>();
  private final Map<TopicPartition, Long> written = new HashMap<>();
  private final Map<TopicPartition, Held> held = new HashMap<>();
  private int ownNumber = OWN_NUMBERS;

  ProduceAnomalies(Traffic traffic) {
    this.traffic = traffic;
  }

  /** Messages forwarded to a partition: where its log ends, as topics of a run begin empty. */
  synchronized long written(TopicPartition place) {
    return written.getOrDefault(place, 0L);
  }

  synchronized void request(Link link, Exchange exchange) throws IOException {
    ProduceRequestData data = ((ProduceRequest) Wire.request(exchange)).data();
    boolean answered = data.acks() != 0;
    List<Part> parts = parts(data);
    Optional<Anomaly> due = parts.size() == 1 ? due(parts.get(0)) : Optional.empty();
    parts.forEach(part -> seen.merge(part.place(), (long) part.messages(), Long::sum));
    if (due.isPresent()) {
      plant(due.get(), link, exchange, data, parts.get(0));
      return;
    }
    parts.forEach(part -> written.merge(part.place(), (long) part.messages(), Long::sum));
    link.forward(exchange, answered);
    for (Part part : parts) {
      Held before = held.get(part.place());
      if (before != null && before.link() == link) {
        held.remove(part.place());
        link.send(before.exchange());
      }
    }
  }

  private List<Part> parts(ProduceRequestData data) {
    List<Part> parts = new ArrayList<>();
    for (var topic : data.topicData()) {
      String name = traffic.topic(topic.name(), topic.topicId());
      for (var partition : topic.partitionData()) {
        MemoryRecords records = (MemoryRecords) partition.records();
        TopicPartition place = new TopicPartition(name, partition.index());
        parts.add(new Part(place, records, Batches.count(records)));
      }
    }
    return parts;
  }

  private Optional<Anomaly> due(Part part) {
    long before = seen.getOrDefault(part.place(), 0L);
    return traffic
        .armed(KINDS)
        .filter(each -> !each.planted() || each.is(Anomaly.Kind.DROP_TAIL))
        .filter(each -> each.concerns(part.place().topic(), part.place().partition()))
        .filter(each -> before >= each.at())
        .findFirst();
  }

  private void plant(
      Anomaly anomaly, Link link, Exchange exchange, ProduceRequestData data, Part part)
      throws IOException {
    boolean answered = data.acks() != 0;
    long next = written.getOrDefault(part.place(), 0L);
    if (!anomaly.planted()) {
      anomaly
          .with("producer", Batches.producer(part.first()))
          .with("sequence", Batches.sequence(part.first()))
          .with("messages", part.messages());
    }
    anomaly.begin();
    switch (anomaly.kind()) {
      case DROP, DROP_TAIL -> drop(anomaly, link, exchange, data, part);
      case REFUSE -> {
        link.answer(exchange, answer(exchange, data, part, -1, Errors.POLICY_VIOLATION));
        anomaly.report();
      }
      case SWAP -> {
        written.put(part.place(), next + part.messages());
        exchange.edit =
            a -> reported(anomaly, exchange, a, offset -> anomaly.with("offset", offset));
        link.expect(exchange);
        held.put(part.place(), new Held(link, exchange, anomaly));
      }
      case LOSE_ANSWER -> {
        written.put(part.place(), next + part.messages());
        exchange.edit =
            a -> {
              reported(anomaly, exchange, a, offset -> anomaly.with("offset", offset));
              link.close();
              return null;
            };
        link.forward(exchange, answered);
      }
      default -> {
        exchange.edit =
            a -> {
              offset(exchange, a, offset -> anomaly.with("offset", offset));
              return a;
            };
        link.forward(exchange, answered);
        again(anomaly, link, exchange, data, part);
      }
    }
  }

  private void drop(
      Anomaly anomaly, Link link, Exchange exchange, ProduceRequestData data, Part part)
      throws IOException {
    long next = written.getOrDefault(part.place(), 0L);
    if (anomaly.place() < 0) {
      anomaly.placeAt(next);
      anomaly.with("offset", next).report();
    }
    if (data.acks() != 0) {
      link.answer(exchange, answer(exchange, data, part, anomaly.place(), Errors.NONE));
    }
    // Of a tail, the next one seems to be written behind it.
    anomaly.placeAt(anomaly.place() + part.messages());
  }

  /** Sends one more request, whose answer no client receives. */
  private void again(
      Anomaly anomaly, Link link, Exchange exchange, ProduceRequestData data, Part part)
      throws IOException {
    MemoryRecords records =
        switch (anomaly.kind()) {
          case DOUBLE_AS_OTHER -> Batches.withoutProducer(part.records());
          case FOREIGN -> Batches.one("of another program".getBytes(StandardCharsets.US_ASCII));
          case OTHER_RUN -> Batches.one(ofOtherRun(part.first()));
          default -> part.records();
        };
    int messages = part.messages() + Batches.count(records);
    written.merge(part.place(), (long) messages, Long::sum);
    ProduceRequestData body = data.duplicate();
    body.topicData().iterator().next().partitionData().get(0).setRecords(records);
    Exchange copy = Wire.exchange(Wire.numbered(exchange.header, ownNumber++), body);
    copy.edit =
        a -> {
          reported(anomaly, copy, a, offset -> anomaly.with("again", offset));
          return null;
        };
    link.forward(copy, data.acks() != 0);
    if (data.acks() == 0) {
      anomaly.report();
    }
  }

  private static byte[] ofOtherRun(Record record) {
    byte[] value = Batches.value(record);
    value[RUN] ^= 1;
    return value;
  }

  private static ByteBuffer reported(
      Anomaly anomaly, Exchange exchange, ByteBuffer answer, LongConsumer found) {
    offset(exchange, answer, found);
    anomaly.report();
    return answer;
  }

  private static void offset(Exchange exchange, ByteBuffer answer, LongConsumer found) {
    ProduceResponse response = (ProduceResponse) Wire.answer(exchange, answer);
    var partition = response.data().responses().iterator().next().partitionResponses().get(0);
    found.accept(partition.errorCode() == 0 ? partition.baseOffset() : -partition.errorCode());
  }

  private static ByteBuffer answer(
      Exchange exchange, ProduceRequestData data, Part part, long offset, Errors error) {
    var topic = data.topicData().iterator().next();
    TopicProduceResponse response =
        new TopicProduceResponse().setName(topic.name()).setTopicId(topic.topicId());
    response
        .partitionResponses()
        .add(
            new PartitionProduceResponse()
                .setIndex(part.place().partition())
                .setErrorCode(error.code())
                .setBaseOffset(offset));
    ProduceResponseData body = new ProduceResponseData();
    body.responses().add(response);
    return Wire.answerFrame(exchange.header, body);
  }
}
