// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.tailrace.loadgen.record.RowLog;
import io.tailrace.loadgen.record.RowSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * testdata/blocks is also read by programs in other languages and by the engine. {@code mvn test
 * -Dtest=GoldenBlocksTest -Dgolden.update=true} regenerates it.
 */
@TestInstance(Lifecycle.PER_CLASS)
class GoldenBlocksTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("basedir", "."), "..", "testdata", "blocks");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final GoldenRows golden = new GoldenRows();
  private final Map<BlockStream, EncodedBlock> blocks = new LinkedHashMap<>();

  @BeforeAll
  void encode() throws IOException {
    try (BlockEncoder encoder = new BlockEncoder(GoldenRows.RUN_ID, GoldenRows.WORKER)) {
      for (BlockStream stream : BlockStream.values()) {
        List<RowSegment> segments = new ArrayList<>();
        List<RowLog> logs = stream.logs(golden.recorders);
        logs.forEach(log -> log.collect(BlockEncoder.MAX_ROWS, segments));
        blocks.put(stream, encoder.encode(stream, 0, segments));
      }
    }
    if (Boolean.getBoolean("golden.update")) {
      update();
    }
  }

  private static Path blockFile(BlockStream stream) {
    return FOLDER.resolve(stream.streamName() + ".native.zst");
  }

  private static Path rowsFile(BlockStream stream) {
    return FOLDER.resolve(stream.streamName() + ".jsonl");
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<Map<String, Object>> manifest() {
    List<Map<String, Object>> manifest = new ArrayList<>();
    blocks.forEach(
        (stream, block) -> {
          Map<String, Object> entry = new LinkedHashMap<>();
          entry.put("stream", stream.streamName());
          entry.put("rows", block.rows());
          entry.put("sha256", sha256(NativeReader.decompress(block.bytes())));
          manifest.add(entry);
        });
    return manifest;
  }

  private void update() throws IOException {
    Files.createDirectories(FOLDER);
    for (BlockStream stream : BlockStream.values()) {
      Files.write(blockFile(stream), blocks.get(stream).bytes());
      StringBuilder lines = new StringBuilder();
      for (Map<String, Object> row : golden.rows.get(stream)) {
        lines.append(JSON.writeValueAsString(row)).append('\n');
      }
      Files.writeString(rowsFile(stream), lines);
    }
    Files.writeString(
        FOLDER.resolve("manifest.json"),
        JSON.writer(SerializationFeature.INDENT_OUTPUT).writeValueAsString(manifest()) + "\n");
  }

  @ParameterizedTest
  @EnumSource
  void theEncoderMakesTheGoldenBytes(BlockStream stream) throws IOException {
    byte[] stored = NativeReader.decompress(Files.readAllBytes(blockFile(stream)));
    assertThat(NativeReader.decompress(blocks.get(stream).bytes())).isEqualTo(stored);
  }

  @ParameterizedTest
  @EnumSource
  void theGoldenBytesContainTheRowsOfTheirJsonFile(BlockStream stream) throws IOException {
    List<String> decoded = new ArrayList<>();
    for (Map<String, Object> row : NativeReader.rows(Files.readAllBytes(blockFile(stream)))) {
      decoded.add(JSON.writeValueAsString(row));
    }
    assertThat(decoded).isNotEmpty().isEqualTo(Files.readAllLines(rowsFile(stream)));
  }

  @ParameterizedTest
  @EnumSource
  void theManifestStatesRowsAndDigest(BlockStream stream) throws IOException {
    Object[] entries = JSON.readValue(FOLDER.resolve("manifest.json").toFile(), Object[].class);
    assertThat(entries).hasSize(BlockStream.values().length);
    assertThat(entries[stream.ordinal()]).isEqualTo(manifest().get(stream.ordinal()));
  }
}
