// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.kafka.common.requests.AbstractResponse;

/**
 * A place for what is known about a request between its handler and the sending of its response.
 * The broker's own queues hand it from thread to thread, so its fields need no fences.
 */
final class PendingRequest {
  private static final VarHandle REQUEST;

  static {
    try {
      REQUEST = MethodHandles.lookup().findVarHandle(PendingRequest.class, "request", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile Object request;

  final Appends appends = new Appends();

  /** Without one, the request was not to be answered (acks=0) or its connection was closed. */
  AbstractResponse response;

  /** The partitions of a fetch, with the offsets from which they are read. */
  Object fetched;

  boolean atOnce;

  boolean claim(Object claimed) {
    return request == null && REQUEST.compareAndSet(this, null, claimed);
  }

  boolean holds(Object searched) {
    return request == searched;
  }

  void release() {
    appends.clear();
    response = null;
    fetched = null;
    atOnce = false;
    request = null;
  }
}
