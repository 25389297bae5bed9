// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * Offers events to one path, round after round in one warm process. Arguments: path, collector URL.
 * Each line of stdin is a round: {@code RUN SEED EVENTS RATE START_MICROS SHAPE}. Each round is
 * answered on stdout, when all of it has been sent, with {@code OFFERED LOST_KNOWN OFFER_MICROS
 * END_MICROS MAX_LATE_MICROS}; its first line is {@code ready}.
 */
public final class EmitterMain {
  /** Events are handed over in bursts this far apart, so that waking up stays a small cost. */
  private static final long SLOT_NANOS = 2_000_000;

  private EmitterMain() {}

  public static void main(String[] arguments) throws IOException {
    EventPath path = EventPath.of(arguments[0], URI.create(arguments[1]));
    BufferedReader rounds =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.out.println("ready");
    for (String line = rounds.readLine(); line != null; line = rounds.readLine()) {
      String[] words = line.split(" ");
      double rate = Double.parseDouble(words[3]);
      Acks acks = Acks.of(words[5], Long.parseLong(words[1]), rate, Long.parseLong(words[4]));
      System.out.println(round(path, words[0], acks, Long.parseLong(words[2]), rate));
    }
    System.exit(0); // the SDK's threads would keep the process
  }

  private static String round(EventPath path, String run, Acks acks, long events, double rate) {
    path.begin(run);
    long begin = System.nanoTime();
    long late = offer(path, acks, events, rate / 1e9, begin);
    long offered = System.nanoTime();
    long lost = path.end();
    long end = System.nanoTime();
    return String.join(
        " ",
        Long.toString(events),
        Long.toString(lost),
        Long.toString((offered - begin) / 1_000),
        Long.toString((end - offered) / 1_000),
        Long.toString(late / 1_000));
  }

  private static long offer(EventPath path, Acks acks, long events, double perNano, long begin) {
    long maxLate = 0;
    long sent = 0;
    for (long slot = 1; sent < events; slot++) {
      long wait = begin + slot * SLOT_NANOS - System.nanoTime();
      while (wait > 0) {
        LockSupport.parkNanos(wait);
        wait = begin + slot * SLOT_NANOS - System.nanoTime();
      }
      maxLate = Math.max(maxLate, -wait);
      long due = Math.min(events, (long) (slot * SLOT_NANOS * perNano));
      for (; sent < due; sent++) {
        acks.next();
        path.acked(acks);
      }
    }
    return maxLate;
  }
}
