// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * A rate that is linear between points and constant before the first and after the last one. The
 * integral of a line is a parabola, which has an exact inverse.
 */
public final class CurveRate implements RateFunction {
  public record Point(Duration at, double messagesPerSecond) {}

  private final double[] seconds;
  private final double[] rates;
  private final double[] messagesBefore;

  public CurveRate(List<Point> points) {
    // One more point at the start, with the rate of the first.
    int count = points.size() + 1;
    seconds = new double[count];
    rates = new double[count];
    messagesBefore = new double[count];
    rates[0] = points.get(0).messagesPerSecond();
    for (int i = 1; i < count; i++) {
      Point point = points.get(i - 1);
      seconds[i] = point.at().toNanos() / 1e9;
      rates[i] = point.messagesPerSecond();
      double length = seconds[i] - seconds[i - 1];
      messagesBefore[i] = messagesBefore[i - 1] + length * (rates[i - 1] + rates[i]) / 2;
    }
  }

  @Override
  public double messagesBy(long nanos) {
    double time = nanos / 1e9;
    int piece = piece(seconds, time);
    double into = time - seconds[piece];
    return messagesBefore[piece] + into * (rates[piece] + slope(piece) * into / 2);
  }

  @Override
  public long nanosAt(double messages) {
    int piece = piece(messagesBefore, messages);
    double beyond = messages - messagesBefore[piece];
    double rate = rates[piece];
    // The root of slope/2·t² + rate·t = beyond, in the form that is also valid for a slope of 0.
    double root = Math.sqrt(Math.max(0, rate * rate + 2 * slope(piece) * beyond));
    double into = beyond <= 0 ? 0 : 2 * beyond / (rate + root);
    double nanos = (seconds[piece] + into) * 1e9;
    return nanos < Long.MAX_VALUE / 2.0 ? Math.round(nanos) : Long.MAX_VALUE;
  }

  /** The last piece that begins at or before a value. */
  private static int piece(double[] starts, double value) {
    int found = Arrays.binarySearch(starts, value);
    if (found < 0) {
      return Math.max(0, -found - 2);
    }
    // A piece without length or messages begins at the same value as the next one.
    while (found + 1 < starts.length && starts[found + 1] == value) {
      found++;
    }
    return found;
  }

  private double slope(int piece) {
    return piece + 1 < rates.length
        ? (rates[piece + 1] - rates[piece]) / (seconds[piece + 1] - seconds[piece])
        : 0;
  }
}
