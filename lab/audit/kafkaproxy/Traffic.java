// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.requests.MetadataResponse;

/**
 * All connections: which anomaly concerns which request. Requests that none concerns are forwarded
 * as they are.
 */
final class Traffic {
  private final List<Anomaly> armed = new CopyOnWriteArrayList<>();
  private final Map<Uuid, String> topics = new ConcurrentHashMap<>();
  private final ProduceAnomalies produced = new ProduceAnomalies(this);
  private final FetchAnomalies fetched = new FetchAnomalies(this);
  private final OffsetAnomalies offsets = new OffsetAnomalies(this, produced::written);
  private final EndAnomalies ends = new EndAnomalies(this);

  void arm(Anomaly anomaly) {
    armed.add(anomaly);
  }

  Stream<Anomaly> armed(Anomaly.Kind... kinds) {
    return armed.stream().filter(each -> each.is(kinds));
  }

  boolean watches(String topic) {
    return armed.stream().anyMatch(each -> each.topic().equals(topic));
  }

  /** A topic's name; requests of newer versions have its id alone. */
  String topic(String name, Uuid id) {
    return name == null || name.isEmpty() ? topics.getOrDefault(id, "") : name;
  }

  void request(Link link, Exchange exchange) throws IOException {
    switch (exchange.header.apiKey()) {
      case PRODUCE -> produced.request(link, exchange);
      case FETCH -> link.forward(exchange.editing(a -> fetched.answer(exchange, a)), true);
      case LIST_OFFSETS -> link.forward(exchange.editing(a -> offsets.answer(exchange, a)), true);
      case METADATA -> link.forward(exchange.editing(answer -> learn(exchange, answer)), true);
      case END_TXN, INIT_PRODUCER_ID -> ends.request(link, exchange);
      default -> link.forward(exchange, true);
    }
  }

  private ByteBuffer learn(Exchange exchange, ByteBuffer answer) {
    MetadataResponseData data = ((MetadataResponse) Wire.answer(exchange, answer)).data();
    for (var topic : data.topics()) {
      if (topic.name() != null) {
        topics.put(topic.topicId(), topic.name());
      }
    }
    return answer;
  }
}
