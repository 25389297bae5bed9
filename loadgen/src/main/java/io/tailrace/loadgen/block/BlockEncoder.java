// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.tailrace.loadgen.record.RowSegment;
import java.nio.ByteBuffer;
import java.util.List;

/** Encodes recorded rows as a block, column by column. Reuses its buffers. For one thread. */
final class BlockEncoder implements AutoCloseable {
  static final int MAX_ROWS = 262_144;
  private static final int ZSTD_LEVEL = 1;

  private final String runId;
  private final int worker;
  private final NativeBuffer plain = new NativeBuffer();
  private final Dictionary dictionary = new Dictionary();
  private final ZstdCompressCtx zstd =
      new ZstdCompressCtx().setLevel(ZSTD_LEVEL).setContentSize(true);
  private ByteBuffer compressed = ByteBuffer.allocateDirect(0);

  BlockEncoder(String runId, int worker) {
    this.runId = runId;
    this.worker = worker;
  }

  /** Encodes all rows of the segments, 1 … {@link #MAX_ROWS} rows of one stream, as one block. */
  EncodedBlock encode(BlockStream stream, long seq, List<RowSegment> segments) {
    TimeRange range = TimeRange.of(segments, stream.timeColumn());
    int rows = segments.stream().mapToInt(RowSegment::rows).sum();
    write(stream, segments, rows);
    BlockHead head =
        new BlockHead(
            stream.streamName(),
            seq,
            rows,
            range.fromMicros(),
            range.toMicros(),
            stream.columnsText());
    return new EncodedBlock(head, compress(plain.written()));
  }

  private void write(BlockStream stream, List<RowSegment> segments, int rows) {
    plain.clear();
    plain.varUint(stream.columns().size());
    plain.varUint(rows);
    for (Column column : stream.columns()) {
      plain.string(column.name());
      plain.string(column.type());
      switch (column.source()) {
        case RUN_ID, TOPIC -> writeLowCardinality(column, segments, rows);
        case TEXT -> {
          if (column.isLowCardinality()) {
            writeLowCardinality(column, segments, rows);
          } else {
            writeStrings(column, segments);
          }
        }
        case WORKER -> plain.repeated(worker, rows, Short.BYTES);
        case ID -> {
          int width = column.type().equals("UInt16") ? Short.BYTES : Integer.BYTES;
          for (RowSegment s : segments) {
            plain.repeated(s.log().id(column.index()), s.rows(), width);
          }
        }
        case INT -> {
          for (RowSegment s : segments) {
            plain.ints(s.ints(column.index()), s.from(), s.rows());
          }
        }
        case LONG -> {
          for (RowSegment s : segments) {
            plain.longs(s.longs(column.index()), s.from(), s.rows());
          }
        }
      }
    }
  }

  private void writeLowCardinality(Column column, List<RowSegment> segments, int rows) {
    dictionary.start(rows);
    for (RowSegment s : segments) {
      switch (column.source()) {
        case RUN_ID -> dictionary.add(runId, s.rows());
        case TOPIC -> dictionary.add(s.log().topic(), s.rows());
        default -> {
          String[] texts = s.texts(column.index());
          for (int i = s.from(); i < s.from() + s.rows(); i++) {
            dictionary.add(texts[i], 1);
          }
        }
      }
    }
    dictionary.writeTo(plain);
  }

  private void writeStrings(Column column, List<RowSegment> segments) {
    for (RowSegment s : segments) {
      String[] texts = s.texts(column.index());
      for (int i = s.from(); i < s.from() + s.rows(); i++) {
        plain.string(texts[i] == null ? "" : texts[i]);
      }
    }
  }

  private byte[] compress(ByteBuffer source) {
    int bound = Math.toIntExact(Zstd.compressBound(source.remaining()));
    if (compressed.capacity() < bound) {
      compressed = ByteBuffer.allocateDirect(bound);
    }
    compressed.clear();
    zstd.compress(compressed, source);
    byte[] bytes = new byte[compressed.flip().remaining()];
    compressed.get(bytes);
    return bytes;
  }

  @Override
  public void close() {
    zstd.close();
  }
}
