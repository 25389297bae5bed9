// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

/**
 * Queue of an SDK batch processor: how many events wait at most, and how many go in one request.
 *
 * @param queue maxQueueSize
 * @param batch maxExportBatchSize
 */
record SdkQueue(int queue, int batch) {
  /** The specification's defaults, which drop at the rates of this benchmark. */
  static final SdkQueue DEFAULT = new SdkQueue(2_048, 512);

  /**
   * As large as a request may be (8,192 spans stay under the receiver's 4 MiB), and two seconds and
   * a half of queue at 50,000 events a second.
   */
  static final SdkQueue RAISED = new SdkQueue(131_072, 8_192);
}
