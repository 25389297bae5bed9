// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.network.Request;

/** Makes rows of an answered request: what its partitions share, then one row for each of them. */
final class RequestReader {
  private static final int CLIENT = -1;

  private RequestReader() {}

  static void write(Request request, PendingRequest pending, RequestRow row, RequestRows into) {
    boolean produce = request.header().apiKey() == ApiKeys.PRODUCE;
    row.api = produce ? "produce" : "fetch";
    row.replica = produce ? CLIENT : request.body(FetchRequest.class).replicaId();
    row.clientId = request.header().clientId();
    row.connection = request.context().connectionId();
    row.correlationId = request.header().correlationId();
    row.atOnce = pending.atOnce;
    row.read = request.startTimeNanos();
    row.dequeued = request.requestDequeueTimeNanos();
    // Set by the handler, which may be behind the thread that completed the request.
    long done = request.apiLocalCompleteTimeNanos();
    row.localDone = done < 0 ? row.responseReady : Math.min(done, row.responseReady);
    if (produce) {
      ProduceRows.write(pending, row, into);
    } else {
      FetchRows.write(pending, row, into);
    }
  }

  static String error(short code) {
    return code == Errors.NONE.code() ? "" : Errors.forCode(code).name();
  }
}
