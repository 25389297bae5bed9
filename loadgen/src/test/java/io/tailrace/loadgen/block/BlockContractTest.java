// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.record.RowSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** docs/contracts/block.md describes what the encoder does. */
class BlockContractTest {
  private static final Path CONTRACT =
      Path.of(System.getProperty("basedir", "."), "..", "docs", "contracts", "block.md");
  private static final Pattern STREAM_ROW = Pattern.compile("^\\| `(\\w+)` \\| (`run_id .*) \\|$");
  private static final Pattern HEX_LINE = Pattern.compile("^((?:[0-9a-f]{2} )+) +\\S.*$");

  private String contract;

  @BeforeEach
  void read() throws IOException {
    contract = Files.readString(CONTRACT);
  }

  @Test
  void contractTableListsTheColumnsOfEveryStream() {
    Map<String, String> table = new LinkedHashMap<>();
    contract
        .lines()
        .map(STREAM_ROW::matcher)
        .filter(Matcher::matches)
        .forEach(row -> table.put(row.group(1), row.group(2).replace("`", "")));
    Map<String, String> streams = new LinkedHashMap<>();
    for (BlockStream stream : BlockStream.values()) {
      streams.put(stream.streamName(), stream.columnsText());
    }
    assertThat(table).isEqualTo(streams);
  }

  @Test
  void contractExampleEqualsTheEncodersOutput() {
    StringBuilder hex = new StringBuilder();
    contract
        .lines()
        .map(HEX_LINE::matcher)
        .filter(Matcher::matches)
        .forEach(line -> hex.append(line.group(1).replace(" ", "")));
    GoldenRows golden = new GoldenRows();
    List<RowSegment> segments = new ArrayList<>();
    BlockStream.RUN_EVENTS.logs(golden.recorders).forEach(log -> log.collect(2, segments));
    try (BlockEncoder encoder = new BlockEncoder("demo-1", 0)) {
      byte[] block = encoder.encode(BlockStream.RUN_EVENTS, 0, segments).bytes();
      assertThat(hex.toString())
          .isEqualTo(HexFormat.of().formatHex(NativeReader.decompress(block)));
    }
  }
}
