// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShipCommandTest {
  private static final String COLLECTOR = "http://127.0.0.1:9";

  @TempDir Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int execute(String... args) {
    return Main.execute(new PrintStream(out, true), new PrintStream(err, true), args);
  }

  private List<String> errors() {
    return err.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void aFolderWithoutASpoolIsBadInput() {
    assertThat(execute("ship", "--spool", folder.toString(), "--otlp-endpoint", COLLECTOR))
        .isEqualTo(2);
    assertThat(errors()).singleElement().asString().contains(folder + ": no spool there; ");
  }

  @Test
  void anInvalidAddressIsBadInput() {
    assertThat(execute("ship", "--spool", folder.toString(), "--otlp-endpoint", "nowhere"))
        .isEqualTo(2);
    assertThat(errors()).singleElement().asString().contains("--otlp-endpoint: not http://HOST");
  }

  @Test
  void aRunRefusesAFolderWithAnEarlierSpool() throws Exception {
    InputFiles files = InputFiles.in(folder);
    Path spool = Files.createDirectory(folder.resolve("spool"));
    Files.write(spool.resolve("00000000.seg"), new byte[100]);
    assertThat(run(files, "--spool", spool.toString())).isEqualTo(2);
    assertThat(errors()).singleElement().asString().contains("holds the spool of an earlier run");
    assertThat(spool.resolve("00000000.seg")).exists();
  }

  @Test
  void aRunThatCannotStartLeavesNoSpool() throws Exception {
    Path spool = folder.resolve("spool");
    assertThat(run(InputFiles.in(folder), "--spool", spool.toString())).isEqualTo(2);
    assertThat(errors()).singleElement().asString().contains("127.0.0.1:9");
    assertThat(spool).doesNotExist();
  }

  private int run(InputFiles files, String... more) {
    List<String> args =
        new ArrayList<>(
            List.of(
                "run",
                "--workload",
                files.workload().toString(),
                "--driver",
                files.driver().toString(),
                "--bootstrap-servers",
                "127.0.0.1:9",
                "--run-id",
                "r",
                "--otlp-endpoint",
                COLLECTOR));
    args.addAll(List.of(more));
    return execute(args.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"1KiB, 1024", "512MiB, 536870912", "10GiB, 10737418240", "2TiB, 2199023255552"})
  void sizesAreRead(String text, long bytes) {
    assertThat(ByteSize.parse(text)).isEqualTo(OptionalLong.of(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "10GB", "0GiB", "-1GiB", "1.5GiB", "1234567GiB"})
  void otherTextsAreBadInput(String text) throws Exception {
    assertThat(run(InputFiles.in(folder), "--spool-limit", text)).isEqualTo(2);
    assertThat(errors()).singleElement().asString().contains("--spool-limit: not a size");
  }
}
