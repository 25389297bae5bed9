// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.exporter.internal.FailedExportException.HttpExportException;
import io.opentelemetry.sdk.common.CompletableResultCode;

/** Why an OTLP export failed; permanent if a retry can never succeed: HTTP 4xx other than 429. */
record ExportFailure(boolean permanent, String reason) {
  private static final int TOO_MANY_REQUESTS = 429;

  static ExportFailure of(CompletableResultCode result) {
    Throwable thrown = result.getFailureThrowable();
    if (!(thrown instanceof HttpExportException failure)) {
      return new ExportFailure(false, String.valueOf(thrown));
    }
    if (failure.getResponse() == null) {
      return new ExportFailure(false, String.valueOf(failure.getCause()));
    }
    int status = failure.getResponse().getStatusCode();
    boolean permanent = status >= 400 && status < 500 && status != TOO_MANY_REQUESTS;
    return new ExportFailure(
        permanent, ("HTTP " + status + " " + failure.getResponse().getStatusMessage()).strip());
  }
}
