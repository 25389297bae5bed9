// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;

/** Anomalies of answers that state where logs begin and end. */
final class OffsetAnomalies {
  private final Traffic traffic;
  private final ToLongFunction<TopicPartition> written;

  OffsetAnomalies(Traffic traffic, ToLongFunction<TopicPartition> written) {
    this.traffic = traffic;
    this.written = written;
  }

  ByteBuffer answer(Exchange exchange, ByteBuffer answer) {
    var response = ((ListOffsetsResponse) Wire.answer(exchange, answer)).data();
    Set<TopicPartition> ends = ends(exchange);
    boolean changed = false;
    for (var topic : response.topics()) {
      for (var partition : topic.partitions()) {
        TopicPartition place = new TopicPartition(topic.name(), partition.partitionIndex());
        changed |= change(place, partition, ends.contains(place), exchange);
      }
    }
    return changed ? Wire.answerFrame(exchange.header, response) : answer;
  }

  private boolean change(
      TopicPartition place,
      ListOffsetsPartitionResponse partition,
      boolean end,
      Exchange exchange) {
    var found =
        traffic
            .armed(
                Anomaly.Kind.END_EARLIER,
                Anomaly.Kind.END_LATER,
                Anomaly.Kind.HIDE_TAIL_AND_END,
                Anomaly.Kind.REPLAY,
                Anomaly.Kind.LATE)
            .filter(each -> each.concerns(place.topic(), place.partition()))
            .findFirst();
    if (found.isEmpty()) {
      return false;
    }
    Anomaly anomaly = found.get();
    long stated = partition.offset();
    if (anomaly.is(Anomaly.Kind.REPLAY, Anomaly.Kind.LATE)) {
      if (!anomaly.planted() || !FetchAnomalies.ofGroup(exchange)) {
        return false;
      }
      stated = anomaly.place();
    } else if (end && anomaly.is(Anomaly.Kind.HIDE_TAIL_AND_END) && anomaly.planted()) {
      stated = anomaly.place();
    } else if (end
        && written.applyAsLong(place) >= anomaly.at()
        && !anomaly.is(Anomaly.Kind.HIDE_TAIL_AND_END)) {
      stated += anomaly.is(Anomaly.Kind.END_EARLIER) ? -anomaly.count() : anomaly.count();
      if (!anomaly.planted()) {
        anomaly.with("offset", stated).report();
      }
    }
    boolean changed = stated != partition.offset();
    partition.setOffset(stated);
    return changed;
  }

  /** Partitions of which the request asks for the log's end. */
  private static Set<TopicPartition> ends(Exchange exchange) {
    Set<TopicPartition> ends = new HashSet<>();
    for (var topic : ((ListOffsetsRequest) Wire.request(exchange)).data().topics()) {
      for (var partition : topic.partitions()) {
        if (partition.timestamp() == ListOffsetsRequest.LATEST_TIMESTAMP) {
          ends.add(new TopicPartition(topic.name(), partition.partitionIndex()));
        }
      }
    }
    return ends;
  }
}
