// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What cannot be read is logged once per file; what is not there is not logged. */
class UnreadableFileTest {
  @TempDir Path folder;

  private final Logger logger = (Logger) LoggerFactory.getLogger(UnreadableFile.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  @BeforeEach
  void listen() {
    appender.start();
    logger.addAppender(appender);
  }

  @AfterEach
  void detach() {
    logger.detachAppender(appender);
  }

  private List<String> logged() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void aFileThatDoesNotExistIsNotLogged() {
    assertThat(CheckpointFile.read(folder)).isEmpty();
    assertThat(AckJournal.read(folder)).isEmpty();
    assertThat(SegmentScan.header(folder.resolve("00000000.seg"))).isEmpty();
    assertThat(logged()).isEmpty();
  }

  /** A folder of the file's name gives an error to every user, root included. */
  @Test
  void aFileThatCannotBeReadIsLoggedOnce() throws Exception {
    for (String name :
        List.of(SpoolFormat.CHECKPOINT_FILE, SpoolFormat.ACKS_FILE, "00000000.seg")) {
      Files.createDirectory(folder.resolve(name));
    }
    for (int times = 0; times < 2; times++) {
      assertThat(CheckpointFile.read(folder)).isEmpty();
      assertThat(AckJournal.read(folder)).isEmpty();
      assertThat(SegmentScan.header(folder.resolve("00000000.seg"))).isEmpty();
      new SegmentScan(SpoolFixture.ID).read(folder.resolve("00000000.seg"), 0);
    }
    assertThat(logged()).hasSize(3).allMatch(line -> line.contains("cannot be read: "));
    assertThat(logged().get(0)).contains(SpoolFormat.CHECKPOINT_FILE).contains("taken from");
    assertThat(logged().get(1)).contains(SpoolFormat.ACKS_FILE).contains("is sent again");
    assertThat(logged().get(2)).contains("00000000.seg").contains("counted as damaged");
  }

  @Test
  void aCheckpointOfAnotherVersionIsLogged() throws Exception {
    Path file = folder.resolve(SpoolFormat.CHECKPOINT_FILE);
    byte[] json = "{\"id\":\"of another version\"}".getBytes(StandardCharsets.UTF_8);
    var slot = SpoolFormat.allocate(CheckpointFile.SLOT_BYTES);
    slot.put("TRCHKPT\n".getBytes(StandardCharsets.US_ASCII)).putInt(0).putInt(json.length);
    slot.putLong(1).put(json);
    slot.putInt(8, SpoolFormat.crc(slot.array(), 12, 12 + json.length));
    Files.write(file, slot.array());
    assertThat(CheckpointFile.read(folder)).isEmpty();
    assertThat(logged()).hasSize(1);
  }
}
