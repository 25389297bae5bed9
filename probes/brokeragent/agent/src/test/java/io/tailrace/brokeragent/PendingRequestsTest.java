// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PendingRequestsTest {
  @Test
  void aRequestIsFoundUntilItsPlaceIsReleased() {
    PendingRequests pending = new PendingRequests(4);
    Object request = new Object();
    PendingRequest place = pending.claim(request);
    assertThat(pending.find(request)).isSameAs(place);
    place.release();
    assertThat(pending.find(request)).isNull();
  }

  @Test
  void aFullTableHasNoPlaceUntilOneIsReleased() {
    PendingRequests pending = new PendingRequests(4);
    List<PendingRequest> places = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      places.add(pending.claim(new Object()));
    }
    assertThat(places).doesNotContainNull().doesNotHaveDuplicates();
    assertThat(pending.claim(new Object())).isNull();
    places.get(2).release();
    assertThat(pending.claim(new Object())).isSameAs(places.get(2));
  }

  /** Handlers claim, network threads find and release, all at the same time. */
  @Test
  void threadsNeverShareAPlace() throws InterruptedException {
    PendingRequests pending = new PendingRequests(64);
    AtomicInteger wrong = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int round = 0; round < 20_000; round++) {
                  Object request = new Object();
                  PendingRequest place = pending.claim(request);
                  place.fetched = request;
                  if (pending.find(request) != place || place.fetched != request) {
                    wrong.incrementAndGet();
                  }
                  place.release();
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong).hasValue(0);
  }
}
