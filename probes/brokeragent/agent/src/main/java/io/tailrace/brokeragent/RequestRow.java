// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

/**
 * One partition of an answered request. A network thread fills the same object again and again, so
 * that a row costs no allocation; a reader copies what it keeps. Times are readings of {@link
 * System#nanoTime}; durations are ns.
 */
public final class RequestRow {
  public String api;
  public int replica;
  public String clientId;
  public String connection;
  public int correlationId;
  public String topic;
  public int partition;

  /** Of the first record appended, or from which was fetched; −1 if there is none. */
  public long offset;

  public int records;
  public int bytes;
  public long highWatermark;
  public boolean atOnce;
  public String error;

  /** The request was read from the socket. */
  public long read;

  /** A request handler took it. */
  public long dequeued;

  /** The handler had done its part. */
  public long localDone;

  /** The response was ready. */
  public long responseReady;

  /** A network thread took the response. */
  public long responseDequeued;

  /** The response was sent. */
  public long sent;

  public long throttleMillis;
  public long log;
  public long lock;
  public long roll;
  public long flush;
}
