// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Finds a request's place by its identity: a table of fixed size, lock-free, whose places are made
 * when they are first used. A connection has one request in flight, so the table serves about as
 * many connections as it has places. The first places are used before the others, so that those of
 * a broker with few requests in flight stay in the processor's cache.
 */
final class PendingRequests {
  private static final int FIRST = 256;
  private static final int FIRST_PROBES = 16;
  private static final int PROBES = 64;

  private final AtomicReferenceArray<PendingRequest> places;
  private final int firstMask;
  private final int mask;

  /** The size is a power of two. */
  PendingRequests(int size) {
    places = new AtomicReferenceArray<>(size);
    mask = size - 1;
    firstMask = Math.min(size, FIRST) - 1;
  }

  /** The place to look at in a step, first those among the first places. */
  private int at(int hash, int step) {
    return step < FIRST_PROBES ? hash + step & firstMask : hash + step - FIRST_PROBES & mask;
  }

  /** A place for the request; null if those near its hash are all taken. */
  PendingRequest claim(Object request) {
    int hash = hash(request);
    for (int step = 0; step < FIRST_PROBES + PROBES; step++) {
      int at = at(hash, step);
      PendingRequest place = places.get(at);
      if (place == null) {
        places.compareAndSet(at, null, new PendingRequest());
        place = places.get(at);
      }
      if (place.claim(request)) {
        return place;
      }
    }
    return null;
  }

  /** The place of a request; null if it has none. */
  PendingRequest find(Object request) {
    int hash = hash(request);
    for (int step = 0; step < FIRST_PROBES + PROBES; step++) {
      PendingRequest place = places.get(at(hash, step));
      if (place == null) {
        return null;
      }
      if (place.holds(request)) {
        return place;
      }
    }
    return null;
  }

  private static int hash(Object request) {
    int hash = System.identityHashCode(request);
    return hash ^ hash >>> 16;
  }
}
