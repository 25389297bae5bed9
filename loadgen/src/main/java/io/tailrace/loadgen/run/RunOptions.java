// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.AgreementEndpoint;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * What a run needs beside its plan.
 *
 * @param otlpEndpoint base address of the collector's OTLP/HTTP receiver, without {@code /v1/logs}
 * @param time when it starts, and what is known of this host's clock
 * @param keepsMessages whether messages are recorded; without it a run measures what recording
 *     costs, and its audit fails
 * @param agreement where the workers of the run agree; null for a lone worker
 */
public record RunOptions(
    URI otlpEndpoint,
    PrintStream progress,
    LocalFiles files,
    HostTime time,
    boolean keepsMessages,
    AgreementEndpoint agreement) {

  /**
   * Files and folders of this host.
   *
   * @param summary where to write summary.json, or null for nowhere
   * @param spool folder where blocks are kept until they are stored, or null for memory alone
   * @param spoolBytes size of the spool at most
   * @param topicNote file that names the run's topics while they exist, or null for none
   * @param topicsLeft such files of earlier runs, whose topics are to be deleted
   */
  public record LocalFiles(
      Path summary, Path spool, long spoolBytes, Path topicNote, List<Path> topicsLeft) {}

  /** When all workers start the first phase, null for at once, and the state of this clock. */
  public record HostTime(Instant startAt, String hostClock) {}
}
