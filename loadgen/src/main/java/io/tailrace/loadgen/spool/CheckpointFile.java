// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The file of the last checkpoint. Its two slots are written alternately, so one of them is intact
 * whenever the process dies; with flushes, the slot that a flush has reached is not written before
 * the other one is flushed, so one of them is intact whenever the machine dies. The file has its
 * full size from the start, so a full disk does not prevent a checkpoint.
 */
final class CheckpointFile implements AutoCloseable {
  static final int SLOT_BYTES = 32 << 10;

  private static final byte[] MAGIC = "TRCHKPT\n".getBytes(StandardCharsets.US_ASCII);
  private static final int HEAD = 24;
  private static final String WITHOUT_IT =
      "the run and its progress are taken from the segments and the journal of stored blocks";
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final RandomAccessFile file;
  private long generation;
  private int lastSlot;
  private int flushedSlot;

  private CheckpointFile(RandomAccessFile file, long generation, int slot) {
    this.file = file;
    this.generation = generation;
    this.lastSlot = slot;
    this.flushedSlot = slot;
  }

  private record Slot(long generation, int number, Checkpoint checkpoint) {}

  static CheckpointFile open(Path folder) throws IOException {
    Path path = folder.resolve(SpoolFormat.CHECKPOINT_FILE);
    Optional<Slot> newest = newest(path);
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    if (file.length() < 2L * SLOT_BYTES) {
      int missing = (int) (2L * SLOT_BYTES - file.length());
      file.seek(file.length());
      file.write(new byte[missing]);
    }
    return new CheckpointFile(
        file, newest.map(Slot::generation).orElse(0L), newest.map(Slot::number).orElse(0));
  }

  /** The newest checkpoint that can be read. */
  static Optional<Checkpoint> read(Path folder) {
    return newest(folder.resolve(SpoolFormat.CHECKPOINT_FILE)).map(Slot::checkpoint);
  }

  /** {@code keepFlushed}: the slot that was flushed last stays as it is. */
  void write(Checkpoint checkpoint, boolean keepFlushed) throws IOException {
    byte[] json = JSON.writeValueAsBytes(checkpoint);
    if (json.length > SLOT_BYTES - HEAD) {
      throw new IOException("a checkpoint of " + json.length + " bytes does not fit its slot");
    }
    ByteBuffer out = SpoolFormat.allocate(HEAD + json.length);
    out.put(MAGIC).putInt(0).putInt(json.length).putLong(generation + 1).put(json);
    out.putInt(8, SpoolFormat.crc(out.array(), 12, out.capacity() - 12));
    int slot = 1 - (keepFlushed ? flushedSlot : lastSlot);
    file.seek((long) slot * SLOT_BYTES);
    file.write(out.array());
    lastSlot = slot;
    generation++;
  }

  /** All that was written is on the drive. */
  void flushed() {
    flushedSlot = lastSlot;
  }

  private static Optional<Slot> newest(Path path) {
    byte[] bytes;
    try (RandomAccessFile in = new RandomAccessFile(path.toFile(), "r")) {
      bytes = new byte[(int) Math.min(in.length(), 2L * SLOT_BYTES)];
      in.readFully(bytes);
    } catch (IOException e) {
      UnreadableFile.log(path, e, WITHOUT_IT);
      return Optional.empty();
    }
    Optional<Slot> first = slot(path, bytes, 0);
    Optional<Slot> second = slot(path, bytes, SLOT_BYTES);
    return first.isPresent()
            && second.map(s -> s.generation() < first.get().generation()).orElse(true)
        ? first
        : second;
  }

  private static Optional<Slot> slot(Path path, byte[] bytes, int at) {
    if (bytes.length < at + HEAD
        || !Arrays.equals(bytes, at, at + MAGIC.length, MAGIC, 0, MAGIC.length)) {
      return Optional.empty();
    }
    ByteBuffer in = SpoolFormat.wrap(bytes).position(at + MAGIC.length);
    int crc = in.getInt();
    int length = in.getInt();
    if (length < 0
        || length > Math.min(SLOT_BYTES, bytes.length - at) - HEAD
        || crc != SpoolFormat.crc(bytes, at + 12, HEAD - 12 + length)) {
      return Optional.empty();
    }
    long generation = in.getLong();
    try {
      String json = new String(bytes, at + HEAD, length, StandardCharsets.UTF_8);
      Checkpoint checkpoint = JSON.readValue(json, Checkpoint.class);
      if (checkpoint.id() != null && checkpoint.id().valid()) {
        return Optional.of(new Slot(generation, at / SLOT_BYTES, checkpoint));
      }
      UnreadableFile.log(path, new IOException("it names no run and worker"), WITHOUT_IT);
      return Optional.empty();
    } catch (JsonProcessingException e) {
      UnreadableFile.log(path, e, WITHOUT_IT);
      return Optional.empty();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
