// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.spool.WorkerId;
import java.net.URI;

/**
 * How one worker ships its blocks.
 *
 * @param otlpEndpoint base of the collector's OTLP/HTTP receiver, e.g. {@code
 *     http://127.0.0.1:4318}; {@code /v1/logs} and {@code /v1/metrics} are added
 * @param maxInFlight blocks sent at the same time, 1 … 5; 4 is a good value (the HTTP client keeps
 *     5 connections per host)
 * @param maxUnshippedBytes memory for encoded blocks while the collector is unavailable; 256 MiB
 *     hold about 30 million rows
 */
public record PipelineConfig(
    URI otlpEndpoint,
    WorkerId id,
    int maxInFlight,
    long maxUnshippedBytes,
    LiveCounters counters,
    OtlpTls tls) {
  public PipelineConfig {
    if (id.worker() < 0 || id.worker() > 65535) {
      throw new IllegalArgumentException("worker must be 0 … 65535, not " + id.worker());
    }
    if (maxInFlight < 1 || maxInFlight > 5) {
      throw new IllegalArgumentException("maxInFlight must be 1 … 5, not " + maxInFlight);
    }
  }

  /** Where a signal ({@code logs} or {@code metrics}) is sent. */
  String signalUrl(String signal) {
    String base = otlpEndpoint.toString();
    return (base.endsWith("/") ? base : base + "/") + "v1/" + signal;
  }
}
