// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The run and worker that a spool belongs to.
 *
 * @param runId run, {@code [A-Za-z0-9._-]{1,128}}
 * @param worker worker, 0 … 65535
 */
public record WorkerId(String runId, int worker) {
  private static final Pattern RUN_ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  boolean valid() {
    return runId != null && RUN_ID.matcher(runId).matches() && worker >= 0 && worker <= 65_535;
  }

  /** Checksum that marks a record as this worker's. */
  int tag() {
    return SpoolFormat.crc((runId + "/" + worker).getBytes(StandardCharsets.UTF_8));
  }
}
