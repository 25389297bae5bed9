// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Anomalies of requests that produce. What a request has for other partitions stays as it is. */
final class ProduceAnomalies {
  private static final int RUN = 24;
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

  /** A request that is sent after the next one of its partition. */
  private record Held(Link link, Exchange exchange) {}

  private final Traffic traffic;
  private final Map<TopicPartition, Long> seen = new HashMap<>();
  private final Map<TopicPartition, Long> written = new HashMap<>();
  private final Map<TopicPartition, Held> held = new HashMap<>();
  // The clients number their requests from 0.
  private int ownNumber = Integer.MIN_VALUE;

  ProduceAnomalies(Traffic traffic) {
    this.traffic = traffic;
  }

  /** Messages forwarded to a partition: where its log ends, as topics of a run begin empty. */
  synchronized long written(TopicPartition place) {
    return written.getOrDefault(place, 0L);
  }

  synchronized void request(Link link, Exchange exchange) throws IOException {
    ProduceParts request = ProduceParts.of(exchange, traffic);
    List<ProduceParts.Part> parts = request.parts();
    List<Exchange> copies = new ArrayList<>();
    boolean holds = false;
    for (ProduceParts.Part part : parts) {
      Optional<Anomaly> due = due(part, parts.size() == 1);
      seen.merge(part.place(), part.messages(), Long::sum);
      due.filter(each -> !each.planted()).ifPresent(each -> begin(each, part));
      boolean forwarded = due.isEmpty() || !removed(due.get(), request, part);
      if (forwarded) {
        written.merge(part.place(), part.messages(), Long::sum);
      }
      if (due.isPresent() && forwarded) {
        holds |= due.get().is(Anomaly.Kind.SWAP);
        plant(due.get(), link, request, part).ifPresent(copies::add);
      }
    }
    Exchange changed = request.changed();
    if (holds) {
      link.expect(changed);
      held.put(parts.get(0).place(), new Held(link, changed));
      return;
    }
    if (request.isEmpty()) {
      if (request.answered()) {
        link.answer(exchange, request.ownAnswer());
      }
    } else {
      link.forward(changed, request.answered());
    }
    for (Exchange copy : copies) {
      link.forward(copy, request.answered());
    }
    release(link, parts);
  }

  private void release(Link link, List<ProduceParts.Part> parts) throws IOException {
    for (ProduceParts.Part part : parts) {
      Held before = held.get(part.place());
      if (before != null && before.link() == link) {
        held.remove(part.place());
        link.send(before.exchange());
      }
    }
  }

  private Optional<Anomaly> due(ProduceParts.Part part, boolean alone) {
    long before = seen.getOrDefault(part.place(), 0L);
    return traffic
        .armed(KINDS)
        .filter(each -> !each.planted() || each.is(Anomaly.Kind.DROP_TAIL))
        .filter(each -> each.concerns(part.place().topic(), part.place().partition()))
        .filter(each -> before >= each.at() && (alone || !each.is(Anomaly.Kind.SWAP)))
        .findFirst();
  }

  private static void begin(Anomaly anomaly, ProduceParts.Part part) {
    anomaly
        .with("producer", Batches.producer(part.first()))
        .with("sequence", Batches.sequence(part.first()))
        .with("messages", part.messages())
        .begin();
  }

  /** Whether the part is not forwarded, but answered by the proxy. */
  private boolean removed(Anomaly anomaly, ProduceParts request, ProduceParts.Part part) {
    if (anomaly.is(Anomaly.Kind.REFUSE)) {
      request.remove(part, -1, Errors.POLICY_VIOLATION);
      anomaly.report();
      return true;
    }
    if (!anomaly.is(Anomaly.Kind.DROP, Anomaly.Kind.DROP_TAIL)) {
      return false;
    }
    if (anomaly.place() < 0) {
      anomaly.placeAt(written.getOrDefault(part.place(), 0L));
      anomaly.with("offset", anomaly.place()).report();
    }
    request.remove(part, anomaly.place(), Errors.NONE);
    // Of a tail, the next part seems to be written behind this one.
    anomaly.placeAt(anomaly.place() + part.messages());
    return true;
  }

  /** A second request whose answer no client receives, where the anomaly is one. */
  private Optional<Exchange> plant(
      Anomaly anomaly, Link link, ProduceParts request, ProduceParts.Part part) {
    if (anomaly.is(Anomaly.Kind.SWAP, Anomaly.Kind.LOSE_ANSWER)) {
      request.whenAnswered(
          answer -> {
            anomaly.with("offset", ProduceParts.offset(answer, part)).report();
            if (anomaly.is(Anomaly.Kind.LOSE_ANSWER)) {
              link.close();
            }
          });
      return Optional.empty();
    }
    request.whenAnswered(answer -> anomaly.with("offset", ProduceParts.offset(answer, part)));
    MemoryRecords records =
        switch (anomaly.kind()) {
          case DOUBLE_AS_OTHER -> Batches.withoutProducer(part.records());
          case FOREIGN -> Batches.one("of another program".getBytes(StandardCharsets.US_ASCII));
          case OTHER_RUN -> Batches.one(ofOtherRun(Batches.value(part.first())));
          default -> part.records();
        };
    written.merge(part.place(), (long) Batches.count(records), Long::sum);
    Exchange copy = request.only(part, records, ownNumber++);
    copy.edit =
        answer -> {
          anomaly.with("again", ProduceParts.offset(copy, answer, part)).report();
          return null;
        };
    if (!request.answered()) {
      anomaly.report();
    }
    return Optional.of(copy);
  }

  private static byte[] ofOtherRun(byte[] value) {
    value[RUN] ^= 1;
    return value;
  }
}
