// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.FetchResponse;

/** Anomalies of answers to fetch requests: of a consumer group, or of the re-read after the run. */
final class FetchAnomalies {
  private static final Anomaly.Kind[] OF_GROUPS = {
    Anomaly.Kind.HIDE,
    Anomaly.Kind.HIDE_TAIL,
    Anomaly.Kind.HIDE_TAIL_AND_END,
    Anomaly.Kind.CORRUPT,
    Anomaly.Kind.CORRUPT_HEADER,
    Anomaly.Kind.TRUNCATE,
    Anomaly.Kind.EXCHANGE,
    Anomaly.Kind.REPLAY,
    Anomaly.Kind.LATE,
    Anomaly.Kind.UNLIST_ABORTED
  };
  private static final Anomaly.Kind[] OF_REREADS = {
    Anomaly.Kind.REREAD_HIDE, Anomaly.Kind.REREAD_CORRUPT, Anomaly.Kind.REREAD_EXCHANGE
  };
  // A consumer asks at once again where an answer is empty although the log has messages.
  private static final long EMPTY_MS = 100;

  private final Traffic traffic;
  private final Map<Anomaly, Map<Long, SimpleRecord>> exchanged = new HashMap<>();
  private final Map<Anomaly, Long> refusedAt = new HashMap<>();

  FetchAnomalies(Traffic traffic) {
    this.traffic = traffic;
  }

  /** Whether a consumer of the run's groups asks. */
  static boolean ofGroup(Exchange exchange) {
    return exchange.header.clientId() != null && exchange.header.clientId().contains("-consumer-");
  }

  ByteBuffer answer(Exchange exchange, ByteBuffer answer) {
    Anomaly.Kind[] kinds = ofGroup(exchange) ? OF_GROUPS : OF_REREADS;
    if (traffic.armed(kinds).findAny().isEmpty()) {
      return answer;
    }
    FetchResponseData data = ((FetchResponse) Wire.answer(exchange, answer)).data();
    boolean changed = false;
    boolean empty = false;
    for (var topic : data.responses()) {
      String name = traffic.topic(topic.topic(), topic.topicId());
      for (PartitionData partition : topic.partitions()) {
        for (Anomaly anomaly : traffic.armed(kinds).toList()) {
          if (anomaly.concerns(name, partition.partitionIndex()) && change(anomaly, partition)) {
            changed = true;
            empty |= records(partition).sizeInBytes() == 0;
          }
        }
      }
    }
    if (empty) {
      pause();
    }
    return changed ? Wire.answerFrame(exchange.header, data) : answer;
  }

  private static void pause() {
    try {
      Thread.sleep(EMPTY_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static MemoryRecords records(PartitionData partition) {
    return (MemoryRecords) partition.records();
  }

  private synchronized boolean change(Anomaly anomaly, PartitionData partition) {
    if (partition.records() == null || records(partition).sizeInBytes() == 0) {
      return false;
    }
    return switch (anomaly.kind()) {
      case HIDE, REREAD_HIDE -> each(anomaly, partition, record -> null);
      case CORRUPT, REREAD_CORRUPT ->
          each(anomaly, partition, record -> flipped(record, record.valueSize() - 1));
      case CORRUPT_HEADER -> each(anomaly, partition, record -> flipped(record, 0));
      case TRUNCATE ->
          each(
              anomaly,
              partition,
              record -> {
                byte[] value = Batches.value(record);
                return Batches.withValue(record, Arrays.copyOf(value, value.length / 2));
              });
      case EXCHANGE, REREAD_EXCHANGE -> exchange(anomaly, partition);
      case HIDE_TAIL, HIDE_TAIL_AND_END -> hideTail(anomaly, partition);
      case UNLIST_ABORTED -> unlist(anomaly, partition);
      case REPLAY -> replay(anomaly, partition);
      case LATE -> late(anomaly, partition);
      default -> false;
    };
  }

  private static SimpleRecord flipped(Record record, int index) {
    byte[] value = Batches.value(record);
    value[index] ^= 1;
    return Batches.withValue(record, value);
  }

  /**
   * Changes {@code count} messages from the first one at {@code at} or later; then the same ones
   * whenever they come.
   */
  private boolean each(
      Anomaly anomaly, PartitionData partition, Function<Record, SimpleRecord> change) {
    if (!find(anomaly, partition)) {
      return false;
    }
    long from = anomaly.place();
    return set(partition, from, from + anomaly.count(), change);
  }

  private static boolean set(
      PartitionData partition, long from, long to, Function<Record, SimpleRecord> change) {
    MemoryRecords before = records(partition);
    MemoryRecords after =
        Batches.change(
            before,
            record ->
                record.offset() >= from && record.offset() < to
                    ? change.apply(record)
                    : new SimpleRecord(record));
    partition.setRecords(after);
    return !after.equals(before);
  }

  /** Sets the anomaly's place once a message is there; whether it has one. */
  private static boolean find(Anomaly anomaly, PartitionData partition) {
    if (anomaly.place() >= 0) {
      return true;
    }
    for (RecordBatch batch : records(partition).batches()) {
      for (Record record : batch.isControlBatch() ? List.<Record>of() : batch) {
        if (record.offset() >= anomaly.at() && !isAborted(batch, partition)) {
          anomaly.placeAt(record.offset());
          found(anomaly, record).report();
          return true;
        }
      }
    }
    return false;
  }

  /** Also where its producer's aborted transaction ended before it, within this answer. */
  private static boolean isAborted(RecordBatch batch, PartitionData partition) {
    var aborted = partition.abortedTransactions();
    return aborted != null
        && aborted.stream()
            .anyMatch(
                each ->
                    each.producerId() == batch.producerId()
                        && each.firstOffset() <= batch.baseOffset());
  }

  private static Anomaly found(Anomaly anomaly, Record record) {
    return anomaly
        .with("offset", record.offset())
        .with("producer", Batches.producer(record))
        .with("sequence", Batches.sequence(record));
  }

  private boolean exchange(Anomaly anomaly, PartitionData partition) {
    Map<Long, SimpleRecord> pair = exchanged.computeIfAbsent(anomaly, any -> new HashMap<>());
    Record before = null;
    for (RecordBatch batch : records(partition).batches()) {
      for (Record record : batch.isControlBatch() ? List.<Record>of() : batch) {
        if (pair.isEmpty() && before != null && before.offset() >= anomaly.at()) {
          pair.put(before.offset(), Batches.withValue(before, Batches.value(record)));
          pair.put(record.offset(), Batches.withValue(record, Batches.value(before)));
          anomaly.placeAt(before.offset());
          found(anomaly, before).report();
        }
        before = record;
      }
    }
    return !pair.isEmpty()
        && set(
            partition, 0, Long.MAX_VALUE, r -> pair.getOrDefault(r.offset(), new SimpleRecord(r)));
  }

  private static boolean hideTail(Anomaly anomaly, PartitionData partition) {
    ByteBuffer kept = ByteBuffer.allocate(records(partition).sizeInBytes());
    boolean hidden = false;
    for (var batch : records(partition).batches()) {
      boolean messages = !batch.isControlBatch() && batch.iterator().hasNext();
      if (anomaly.place() < 0 && messages && batch.baseOffset() >= anomaly.at()) {
        anomaly.placeAt(batch.baseOffset());
        found(anomaly, batch.iterator().next()).report();
      }
      if (anomaly.place() >= 0 && batch.baseOffset() >= anomaly.place()) {
        hidden = true;
      } else {
        batch.writeTo(kept);
      }
    }
    if (hidden) {
      kept.flip();
      partition.setRecords(MemoryRecords.readableRecords(kept));
      partition.setHighWatermark(anomaly.place()).setLastStableOffset(anomaly.place());
    }
    return hidden;
  }

  private static boolean unlist(Anomaly anomaly, PartitionData partition) {
    var aborted = partition.abortedTransactions();
    if (anomaly.planted() || aborted == null || aborted.isEmpty()) {
      return false;
    }
    for (RecordBatch batch : records(partition).batches()) {
      if (isAborted(batch, partition)
          && !batch.isControlBatch()
          && batch.baseOffset() >= anomaly.at()) {
        found(anomaly, batch.iterator().next()).report();
        partition.setAbortedTransactions(List.of());
        return true;
      }
    }
    return false;
  }

  private static long firstOffset(PartitionData partition) {
    return records(partition).batches().iterator().next().baseOffset();
  }

  private static void refuse(PartitionData partition) {
    partition
        .setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code())
        .setRecords(MemoryRecords.EMPTY)
        .setAbortedTransactions(null);
  }

  private static boolean replay(Anomaly anomaly, PartitionData partition) {
    long position = firstOffset(partition);
    if (anomaly.planted() || position < anomaly.at()) {
      return false;
    }
    anomaly.placeAt(position - anomaly.count());
    anomaly.with("offset", anomaly.place()).with("end", position).report();
    refuse(partition);
    return true;
  }

  /**
   * First without the messages; then the position is refused, and of what follows they alone come.
   */
  private boolean late(Anomaly anomaly, PartitionData partition) {
    long position = firstOffset(partition);
    Long refused = refusedAt.get(anomaly);
    if (refused == null) {
      if (anomaly.place() < 0 && position >= anomaly.at()) {
        anomaly.placeAt(position);
        anomaly.with("offset", position);
      }
      if (anomaly.place() < 0) {
        return false;
      }
      long end = anomaly.place() + anomaly.count();
      if (position < end + anomaly.count()) {
        return set(partition, anomaly.place(), end, record -> null);
      }
      refusedAt.put(anomaly, position);
      refuse(partition);
      anomaly.report();
      return true;
    }
    return set(partition, anomaly.place() + anomaly.count(), refused, record -> null);
  }
}
