// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.ClientConfig;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The inputs of a plan that are not in the workload and driver files: run, worker and overrides.
 *
 * @param runId {@code [A-Za-z0-9][A-Za-z0-9._-]{0,127}}
 * @param worker this worker, from 0
 * @param workers number of workers, 1 to 65536
 * @param seed random seed that overrides the workload's
 * @param bootstrapServers {@code host:port,…} that override the driver's
 */
public record PlanParameters(
    String runId, int worker, int workers, OptionalLong seed, Optional<String> bootstrapServers) {

  private static final Pattern RUN_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  private static final int MOST_WORKERS = 1 << 16;

  /**
   * @throws IllegalArgumentException with a one-line message for the user when a value is outside
   *     its range
   */
  public PlanParameters {
    if (!RUN_ID.matcher(runId).matches()) {
      throw new IllegalArgumentException(
          "the run id must be a letter or digit and up to 127 of A-Z a-z 0-9 . _ -, not \""
              + runId
              + "\"");
    }
    if (workers < 1 || workers > MOST_WORKERS) {
      throw new IllegalArgumentException(
          "the number of workers must be from 1 to " + MOST_WORKERS + ", not " + workers);
    }
    if (worker < 0 || worker >= workers) {
      throw new IllegalArgumentException(
          "worker " + worker + " is not one of " + workers + ": workers are numbered from 0");
    }
    bootstrapServers
        .flatMap(ClientConfig::badServers)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException("bootstrap servers: " + problem);
            });
  }
}
