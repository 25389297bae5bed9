// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Rewrites record batches; checksums are right afterwards. */
final class Batches {
  private static final int IDENTITY = 8;
  private static final int SEQUENCE_BITS = 40;

  private Batches() {}

  /**
   * The records with some changed or, where the function returns null, left out. Batches without
   * such a record stay as they are. A batch keeps its offsets, as after compaction, so that a
   * consumer does not ask for them again.
   */
  static MemoryRecords change(MemoryRecords records, Function<Record, SimpleRecord> change) {
    ByteBuffer out = ByteBuffer.allocate(2 * records.sizeInBytes() + 1024);
    for (MutableRecordBatch batch : records.batches()) {
      if (batch.isControlBatch() || !changes(batch, change)) {
        batch.writeTo(out);
      } else {
        rewrite(batch, change, out);
      }
    }
    out.flip();
    return MemoryRecords.readableRecords(out);
  }

  private static boolean changes(RecordBatch batch, Function<Record, SimpleRecord> change) {
    for (Record record : batch) {
      SimpleRecord changed = change.apply(record);
      if (changed == null || !changed.equals(new SimpleRecord(record))) {
        return true;
      }
    }
    return false;
  }

  private static void rewrite(
      RecordBatch batch, Function<Record, SimpleRecord> change, ByteBuffer out) {
    List<SimpleRecord> kept = new ArrayList<>();
    List<Long> offsets = new ArrayList<>();
    for (Record record : batch) {
      SimpleRecord changed = change.apply(record);
      if (changed != null) {
        kept.add(changed);
        offsets.add(record.offset());
      }
    }
    if (kept.isEmpty()) {
      DefaultRecordBatch.writeEmptyHeader(
          out,
          batch.magic(),
          batch.producerId(),
          batch.producerEpoch(),
          batch.baseSequence(),
          batch.baseOffset(),
          batch.lastOffset(),
          batch.partitionLeaderEpoch(),
          batch.timestampType(),
          batch.maxTimestamp(),
          batch.isTransactional(),
          batch.isControlBatch());
      return;
    }
    MemoryRecordsBuilder builder =
        MemoryRecords.builder(
            ByteBuffer.allocate(2 * batch.sizeInBytes() + 1024),
            batch.magic(),
            Compression.of(batch.compressionType()).build(),
            batch.timestampType(),
            batch.baseOffset(),
            batch.maxTimestamp(),
            batch.producerId(),
            batch.producerEpoch(),
            batch.baseSequence(),
            batch.isTransactional(),
            batch.partitionLeaderEpoch());
    for (int i = 0; i < kept.size(); i++) {
      builder.appendWithOffset(offsets.get(i), kept.get(i));
    }
    builder.overrideLastOffset(batch.lastOffset());
    out.put(builder.build().buffer());
  }

  /** The same messages as a producer without an id sends them. */
  static MemoryRecords withoutProducer(MemoryRecords records) {
    List<SimpleRecord> all = new ArrayList<>();
    for (Record record : records.records()) {
      all.add(new SimpleRecord(record));
    }
    return MemoryRecords.withRecords(Compression.NONE, all.toArray(SimpleRecord[]::new));
  }

  static MemoryRecords one(byte[] value) {
    return MemoryRecords.withRecords(
        Compression.NONE, new SimpleRecord(System.currentTimeMillis(), null, value));
  }

  static int count(MemoryRecords records) {
    int count = 0;
    for (RecordBatch batch : records.batches()) {
      count += batch.countOrNull();
    }
    return count;
  }

  static Record first(MemoryRecords records) {
    return records.records().iterator().next();
  }

  static byte[] value(Record record) {
    byte[] bytes = new byte[record.valueSize()];
    record.value().get(bytes);
    return bytes;
  }

  static SimpleRecord withValue(Record record, byte[] value) {
    return new SimpleRecord(
        record.timestamp(), record.key(), ByteBuffer.wrap(value), record.headers());
  }

  /** Producer and sequence, as the load generator's payload header has them. */
  static long producer(Record record) {
    return identity(record) >>> SEQUENCE_BITS;
  }

  static long sequence(Record record) {
    return identity(record) & (1L << SEQUENCE_BITS) - 1;
  }

  private static long identity(Record record) {
    return ByteBuffer.wrap(value(record)).order(ByteOrder.LITTLE_ENDIAN).getLong(IDENTITY);
  }
}
