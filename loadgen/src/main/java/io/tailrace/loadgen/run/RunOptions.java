// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * What a run needs beside its plan.
 *
 * @param otlpEndpoint base address of the collector's OTLP/HTTP receiver, without {@code /v1/logs}
 * @param summaryFile where to write summary.json, or null for nowhere
 * @param progress one line per second goes here
 * @param spoolFolder where blocks are kept until they are stored, or null for memory alone
 * @param spoolBytes size of the spool at most
 * @param startAt when the first phase starts, or null for as soon as everything is ready; workers
 *     of one run are all given the same
 * @param keepsMessages whether messages are recorded; without it a run measures what recording
 *     costs, and its audit fails
 * @param hostClock what is known of this host's clock, kept as it is in an event; empty for nothing
 * @param topicNote file that names the run's topics while they are there, or null for none
 * @param topicsLeft such files of earlier runs, whose topics are to be deleted
 */
public record RunOptions(
    URI otlpEndpoint,
    Path summaryFile,
    PrintStream progress,
    Path spoolFolder,
    long spoolBytes,
    Instant startAt,
    boolean keepsMessages,
    String hostClock,
    Path topicNote,
    List<Path> topicsLeft) {
  /** Without a spool started as soon as everything is ready. */
  public RunOptions(URI otlpEndpoint, Path summaryFile, PrintStream progress) {
    this(otlpEndpoint, summaryFile, progress, null, 0, null, true, "", null, List.of());
  }
}
