// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.network.Request;
import org.apache.kafka.storage.internals.log.LogAppendInfo;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * What the advice in the broker's classes calls. Nothing is thrown into the broker: the first
 * failure is printed and ends the recording.
 */
public final class RequestHooks {
  private static final PendingRequests PENDING = new PendingRequests(8192);
  private static final ThreadLocal<Handler> HANDLER = ThreadLocal.withInitial(Handler::new);
  private static final ThreadLocal<RequestRow> ROW = ThreadLocal.withInitial(RequestRow::new);

  private static volatile RequestRows rows;
  private static volatile boolean refused;

  private RequestHooks() {}

  /** What a request handler works on; null between requests that are recorded. */
  private static final class Handler {
    PendingRequest pending;
    boolean appending;
  }

  static synchronized void recordInto(RequestRows newRows) {
    if (!refused) {
      rows = newRows;
    }
  }

  /** Ends the recording for good, with one line of why. */
  static synchronized void refuse(String why) {
    if (!refused) {
      refused = true;
      RequestRows before = rows;
      rows = null;
      if (before != null) {
        before.ended();
      }
      System.err.println("tailrace broker agent: " + why + "; request stages are not recorded");
    }
  }

  private static void failed(Throwable failure) {
    refuse("this broker's requests cannot be read: " + failure);
  }

  /** A request handler takes a request. */
  public static void dequeued(Object taken) {
    RequestRows into = rows;
    if (into == null) {
      return;
    }
    try {
      Request request = (Request) taken;
      ApiKeys api = request.header().apiKey();
      boolean recorded = api == ApiKeys.PRODUCE || api == ApiKeys.FETCH;
      Handler handler = HANDLER.get();
      handler.appending = false;
      handler.pending = recorded ? PENDING.claim(request) : null;
      if (recorded && handler.pending == null) {
        into.missed(request.header().clientId());
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** A request handler continues with a request, such as after its transaction was verified. */
  public static void continued(Object request) {
    if (rows != null) {
      try {
        HANDLER.get().pending = PENDING.find(request);
      } catch (Throwable e) {
        failed(e);
      }
    }
  }

  /** The request's response is known, on any thread. */
  public static void answered(Object answered, Object response, boolean atOnce) {
    if (rows != null) {
      try {
        PendingRequest pending = PENDING.find(answered);
        if (pending != null) {
          pending.response = (AbstractResponse) response;
          pending.atOnce = atOnce;
        }
      } catch (Throwable e) {
        failed(e);
      }
    }
  }

  /** A handler reads these partitions for the fetch request that it works on. */
  public static void fetches(Object partitions) {
    PendingRequest pending = rows == null ? null : HANDLER.get().pending;
    if (pending != null) {
      pending.fetched = partitions;
    }
  }

  /** The response was sent, or will never be. */
  public static void sent(Object sent, long responseReady, long responseDequeued, long throttle) {
    RequestRows into = rows;
    if (into == null) {
      return;
    }
    long now = System.nanoTime();
    try {
      PendingRequest pending = PENDING.find(sent);
      if (pending != null) {
        RequestRow row = ROW.get();
        row.responseReady = responseReady;
        row.responseDequeued = responseDequeued;
        row.throttleMillis = throttle;
        row.sent = now;
        RequestReader.write((Request) sent, pending, row, into);
        pending.release();
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** Returns a time if the append that begins is to be recorded, else 0. */
  public static long appendBegins() {
    if (rows == null) {
      return 0;
    }
    Handler handler = HANDLER.get();
    if (handler.pending == null) {
      return 0;
    }
    handler.appending = true;
    handler.pending.appends.begin();
    return System.nanoTime();
  }

  /** An append ended; without info it failed. */
  public static void appended(Object log, Object info, long since) {
    if (since == 0) {
      return;
    }
    try {
      Handler handler = HANDLER.get();
      handler.appending = false;
      if (info != null && handler.pending != null) {
        handler.pending.appends.end(
            ((UnifiedLog) log).topicPartition(), (LogAppendInfo) info, System.nanoTime() - since);
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  private static Appends appending() {
    if (rows == null) {
      return null;
    }
    Handler handler = HANDLER.get();
    return handler.appending && handler.pending != null ? handler.pending.appends : null;
  }

  /** An append goes to wait for its log's lock. */
  public static void waitsForLock() {
    Appends appends = appending();
    if (appends != null) {
      appends.waitsForLock(System.nanoTime());
    }
  }

  /** A thread has a log's lock. */
  public static void hasLock() {
    Appends appends = appending();
    if (appends != null && appends.waitingForLock()) {
      appends.hasLock(System.nanoTime());
    }
  }

  /** Returns a time if an append of this thread is recorded, else 0. */
  public static long partBegins() {
    return appending() == null ? 0 : System.nanoTime();
  }

  public static void rolled(long since) {
    Appends appends = since == 0 ? null : appending();
    if (appends != null) {
      appends.rolled(System.nanoTime() - since);
    }
  }

  public static void flushed(long since) {
    Appends appends = since == 0 ? null : appending();
    if (appends != null) {
      appends.flushed(System.nanoTime() - since);
    }
  }
}
