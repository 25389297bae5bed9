// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;

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
 */
public record RunOptions(
    URI otlpEndpoint,
    Path summaryFile,
    PrintStream progress,
    Path spoolFolder,
    long spoolBytes,
    Instant startAt,
    boolean keepsMessages,
    String hostClock) {
  /** Without a spool started as soon as everything is ready. */
  public RunOptions(URI otlpEndpoint, Path summaryFile, PrintStream progress) {
    this(otlpEndpoint, summaryFile, progress, null, 0, null, true, "");
  }
}
