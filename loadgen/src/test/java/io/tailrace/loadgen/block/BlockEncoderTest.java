// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowLog;
import io.tailrace.loadgen.record.RowSegment;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockEncoderTest {
  private final Recorders recorders = new Recorders(1 << 28);
  private final BlockEncoder encoder = new BlockEncoder("r1", 258);

  @AfterEach
  void close() {
    encoder.close();
  }

  private EncodedBlock encode(BlockStream stream) {
    List<RowSegment> segments = new ArrayList<>();
    List<RowLog> logs = stream.logs(recorders);
    logs.forEach(log -> log.collect(BlockEncoder.MAX_ROWS, segments));
    return encoder.encode(stream, 3, segments);
  }

  /** Hexadecimal with spaces; 'text' stands for a length byte and ASCII. */
  private static byte[] bytes(String... parts) {
    StringBuilder hex = new StringBuilder();
    for (String part : parts) {
      if (part.startsWith("'")) {
        String text = part.substring(1, part.length() - 1);
        hex.append(String.format("%02x", text.length()));
        text.chars().forEach(c -> hex.append(String.format("%02x", c)));
      } else {
        hex.append(part.replace(" ", ""));
      }
    }
    return HexFormat.of().parseHex(hex);
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static byte[] name(String column, String type) {
    byte[] typeBytes = type.getBytes(StandardCharsets.UTF_8);
    return concat(bytes("'" + column + "'"), new byte[] {(byte) typeBytes.length}, typeBytes);
  }

  private static final String LC_UINT8 = "01 00 00 00 00 00 00 00" + "00 06 00 00 00 00 00 00";

  @Test
  void publishesAreEncodedByTheContract() {
    recorders.publishes(1, "b").acked(2, 3, 1_000_000, -1, 1_000_001, 0x0403_0201);
    recorders.publishes(0x8000_0000, "").acked(-1, -2, -1, 0x0102_0304_0506_0708L, 5, 6);
    byte[] expected =
        concat(
            bytes("0a 02"),
            name("run_id", "LowCardinality(String)"),
            bytes(
                LC_UINT8,
                "02 00 00 00 00 00 00 00",
                "''",
                "'r1'",
                "02 00 00 00 00 00 00 00",
                "01 01"),
            name("worker", "UInt16"),
            bytes("02 01 02 01"),
            name("producer", "UInt32"),
            bytes("01 00 00 00", "00 00 00 80"),
            name("topic", "LowCardinality(String)"),
            bytes(
                LC_UINT8,
                "02 00 00 00 00 00 00 00",
                "''",
                "'b'",
                "02 00 00 00 00 00 00 00",
                "01 00"),
            name("partition", "Int32"),
            bytes("02 00 00 00", "ff ff ff ff"),
            name("offset", "Int64"),
            bytes("03 00 00 00 00 00 00 00", "fe ff ff ff ff ff ff ff"),
            name("intended_time", "DateTime64(6, 'UTC')"),
            bytes("40 42 0f 00 00 00 00 00", "ff ff ff ff ff ff ff ff"),
            name("publish_delay_us", "Int64"),
            bytes("ff ff ff ff ff ff ff ff", "08 07 06 05 04 03 02 01"),
            name("ack_time", "DateTime64(6, 'UTC')"),
            bytes("41 42 0f 00 00 00 00 00", "05 00 00 00 00 00 00 00"),
            name("payload_bytes", "UInt32"),
            bytes("01 02 03 04", "06 00 00 00"));
    EncodedBlock block = encode(BlockStream.PUBLISHES);
    assertThat(NativeReader.decompress(block.bytes())).isEqualTo(expected);
    assertThat(block.stream()).isEqualTo("publishes");
    assertThat(block.seq()).isEqualTo(3);
    assertThat(block.rows()).isEqualTo(2);
    assertThat(block.fromMicros()).isEqualTo(5);
    assertThat(block.toMicros()).isEqualTo(1_000_001);
  }

  @Test
  void textsAndUnsignedNumbersAreEncodedByTheContract() {
    recorders.events().event(7, "phase", "end", "x".repeat(200));
    byte[] expectedEvents =
        concat(
            bytes("06 01"),
            name("run_id", "LowCardinality(String)"),
            bytes(
                LC_UINT8, "02 00 00 00 00 00 00 00", "''", "'r1'", "01 00 00 00 00 00 00 00", "01"),
            name("worker", "UInt16"),
            bytes("02 01"),
            name("time", "DateTime64(6, 'UTC')"),
            bytes("07 00 00 00 00 00 00 00"),
            name("kind", "LowCardinality(String)"),
            bytes(
                LC_UINT8,
                "02 00 00 00 00 00 00 00",
                "''",
                "'phase'",
                "01 00 00 00 00 00 00 00",
                "01"),
            name("name", "LowCardinality(String)"),
            bytes(
                LC_UINT8,
                "02 00 00 00 00 00 00 00",
                "''",
                "'end'",
                "01 00 00 00 00 00 00 00",
                "01"),
            name("detail", "String"),
            bytes("c8 01", "78".repeat(200)));
    assertThat(NativeReader.decompress(encode(BlockStream.RUN_EVENTS).bytes()))
        .isEqualTo(expectedEvents);

    recorders.deliveries(0xffff, 1, "t").received(2, 3, 4, 5, 6, -1, 7, 8);
    Map<String, Object> row = NativeReader.rows(encode(BlockStream.DELIVERIES).bytes()).get(0);
    assertThat(row)
        .containsEntry("subscription", 65_535L)
        .containsEntry("payload_bytes", 4_294_967_295L)
        .containsEntry("sequence", 7L)
        .containsEntry("tie", 8L);
  }

  @Test
  void indexesWidenWithTheNumberOfKeys() {
    for (int keys : new int[] {255, 256, 65_535, 65_536}) {
      Recorders many = new Recorders(1 << 28);
      for (int i = 0; i < keys; i++) {
        many.failures().failed(0, "topic-" + i, 0, 0, 0, 0, 0, "E", 0, 0);
      }
      List<RowSegment> segments = new ArrayList<>();
      many.failureLogs().get(0).collect(BlockEncoder.MAX_ROWS, segments);
      byte[] plain =
          NativeReader.decompress(
              encoder.encode(BlockStream.PUBLISH_FAILURES, 0, segments).bytes());
      byte[] topic = name("topic", "LowCardinality(String)");
      int flags =
          HexFormat.of().formatHex(plain).indexOf(HexFormat.of().formatHex(topic)) / 2
              + topic.length
              + 8;
      int expected = keys <= 255 ? 0 : keys <= 65_535 ? 1 : 2;
      assertThat(plain[flags]).as("width code of %d keys", keys + 1).isEqualTo((byte) expected);
      EncodedBlock block = encoder.encode(BlockStream.PUBLISH_FAILURES, 0, segments);
      List<Object> topics = NativeReader.column(block.bytes(), "topic");
      assertThat(topics).hasSize(keys);
      assertThat(topics.get(keys - 1)).isEqualTo("topic-" + (keys - 1));
    }
  }

  @Test
  void aBlockOfTheLargestSizeIsComplete() {
    var recorder = recorders.publishes(1, "big");
    for (int i = 0; i < BlockEncoder.MAX_ROWS; i++) {
      recorder.acked(i % 100, i, i, i, i, i);
    }
    EncodedBlock block = encode(BlockStream.PUBLISHES);
    assertThat(block.rows()).isEqualTo(BlockEncoder.MAX_ROWS);
    List<Object> offsets = NativeReader.column(block.bytes(), "offset");
    assertThat(offsets).isEqualTo(LongStream.range(0, BlockEncoder.MAX_ROWS).boxed().toList());
    assertThat(new HashSet<>(NativeReader.column(block.bytes(), "topic"))).containsExactly("big");
  }
}
