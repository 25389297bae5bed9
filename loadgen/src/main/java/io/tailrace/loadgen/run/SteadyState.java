// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether a load is steady, from windows of about a second: none of its measures moves over the
 * last {@value #WINDOWS} windows, and so it was after each of the last {@value #CALM} of them. For
 * one thread.
 */
final class SteadyState {
  static final int WINDOWS = 30;
  static final int CALM = 5;

  /** The JIT compiler has settled below this share of a core. */
  private static final double COMPILING = 0.1;

  /**
   * One window.
   *
   * @param p50Micros publish latency
   * @param p99Micros publish latency
   * @param cpuMicros CPU time of this process per message sent or received
   * @param compiling time that this JVM compiled, as a share of the window
   */
  record Window(double p50Micros, double p99Micros, double cpuMicros, double compiling) {}

  /** What must not move, and the change of its median that is small enough. */
  private record Measure(String name, double share, ToDoubleFunction<Window> value) {}

  private static final List<Measure> MEASURES =
      List.of(
          new Measure("publish latency p50", 0.10, Window::p50Micros),
          new Measure("publish latency p99", 0.25, Window::p99Micros),
          new Measure("CPU time per message", 0.10, Window::cpuMicros));

  private final Deque<Window> windows = new ArrayDeque<>();
  private List<String> moving = List.of();
  private int calm;

  void add(Window window) {
    windows.add(window);
    if (windows.size() < WINDOWS) {
      return;
    }
    if (windows.size() > WINDOWS) {
      windows.remove();
    }
    moving = Stream.concat(MEASURES.stream().flatMap(this::trend), compiling()).toList();
    calm = moving.isEmpty() ? calm + 1 : 0;
  }

  boolean reached() {
    return calm >= CALM;
  }

  /** What still moves, and by how much. */
  String moving() {
    if (windows.size() < WINDOWS) {
      return String.format(
          "%d of %d seconds with enough messages were seen", windows.size(), WINDOWS);
    }
    return moving.isEmpty()
        ? "steady for the last " + calm + " s only"
        : moving.stream().collect(Collectors.joining(", "));
  }

  private Stream<String> trend(Measure measure) {
    Trend trend = Trend.of(windows.stream().mapToDouble(measure.value).toArray());
    if (!trend.moves(measure.share)) {
      return Stream.empty();
    }
    return Stream.of(
        String.format(
            Locale.ROOT,
            "%s %s by %.0f %% within %d s (%s to %s)",
            measure.name,
            trend.change() > 0 ? "rose" : "fell",
            100 * Math.abs(trend.change()),
            WINDOWS,
            time(trend.first()),
            time(trend.second())));
  }

  private Stream<String> compiling() {
    double share =
        windows.stream().skip(WINDOWS / 2).mapToDouble(Window::compiling).average().orElse(0);
    return share <= COMPILING
        ? Stream.empty()
        : Stream.of(
            String.format(Locale.ROOT, "the JIT compiler took %.0f %% of a core", 100 * share));
  }

  private static String time(double micros) {
    return micros < 1000
        ? String.format(Locale.ROOT, "%.1f µs", micros)
        : String.format(Locale.ROOT, "%.1f ms", micros / 1000);
  }
}
