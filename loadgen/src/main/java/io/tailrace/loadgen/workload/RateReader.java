// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.RateSpec.Origin;
import io.tailrace.loadgen.workload.RateSpec.Pacing;
import io.tailrace.loadgen.workload.RateSpec.Point;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the total rate: a number, a text, {@code max}, or a curve. */
final class RateReader {
  static final Set<String> POINT_KEYS = Set.of("at", "rate");

  /** OMB's users write this rate and mean the highest that clients take. */
  private static final BigDecimal OMBS_MAX = BigDecimal.valueOf(10_000_000);

  private static final String RATE = "producerRate";
  private static final String CURVE = "rateCurve";
  private static final String LIST = "producerRateList";
  private static final String MAX = "max";
  private static final String SEARCH = "discover";
  private static final Duration DAY = Duration.ofDays(1);
  private static final RateSpec NONE = new RateSpec(Pacing.FIXED, 0, List.of(), Origin.MEASURE);

  private final Fields fields;
  private final Dialect dialect;
  private final double meanBytes;
  private final List<String> notes;

  RateReader(Fields fields, Dialect dialect, double meanBytes, List<String> notes) {
    this.fields = fields;
    this.dialect = dialect;
    this.meanBytes = meanBytes;
    this.notes = notes;
  }

  /**
   * @param produces whether any message is sent, so that there must be a rate
   */
  RateSpec read(boolean produces) {
    boolean list = fields.value(LIST).filter(n -> !(n instanceof YamlNode.Nothing)).isPresent();
    if (!produces) {
      judge(list);
      return NONE;
    }
    if (fields.has(CURVE)) {
      if (fields.has(RATE) || list) {
        judge(list);
        fields.add(CURVE, "given beside " + (list ? LIST : RATE), "keep one of the two");
      }
      return curve(points(), Origin.MEASURE);
    }
    if (list) {
      judge(false);
      return list();
    }
    return single();
  }

  /** A rate that nobody needs must be one all the same. OMB's files write 0 there. */
  private void judge(boolean list) {
    YamlNode node = fields.value(RATE).orElse(null);
    boolean word =
        node instanceof YamlNode.Text text && List.of(MAX, SEARCH).contains(text.value());
    if (node != null && !word) {
      Quantities.rate(fields, RATE, node, meanBytes, true);
    }
    if (fields.has(CURVE)) {
      points();
    }
    if (list) {
      list();
    }
  }

  private RateSpec single() {
    YamlNode node = fields.value(RATE).orElse(null);
    if (node == null) {
      fields.add(RATE, "missing", "add " + RATE + ": N, messages per second over all producers");
      return NONE;
    }
    if (node instanceof YamlNode.Text text && text.value().equals(MAX)) {
      return new RateSpec(Pacing.UNLIMITED, 0, List.of(), Origin.MEASURE);
    }
    if (node instanceof YamlNode.Text text && text.value().equals(SEARCH)) {
      return new RateSpec(Pacing.DISCOVER, 0, List.of(), Origin.MEASURE);
    }
    if (node instanceof YamlNode.Number number && dialect != Dialect.TAILRACE) {
      if (number.value().signum() == 0) {
        notes.add(RATE + " 0 is taken as in OMB: find the highest rate that consumers follow");
        return new RateSpec(Pacing.DISCOVER, 0, List.of(), Origin.MEASURE);
      }
      if (number.value().compareTo(OMBS_MAX) >= 0) {
        notes.add(RATE + " " + number.source() + " is taken as max, which OMB's users mean by it");
        return new RateSpec(Pacing.UNLIMITED, 0, List.of(), Origin.MEASURE);
      }
    }
    return RateSpec.constant(Quantities.rate(fields, RATE, node, meanBytes, false).orElse(1));
  }

  private List<Point> points() {
    List<Point> points = new ArrayList<>();
    List<YamlNode> items = fields.list(CURVE);
    for (int i = 0; i < items.size(); i++) {
      if (!(items.get(i) instanceof YamlNode.Mapping mapping)) {
        String what = "must be a mapping, not " + items.get(i).kind();
        fields.addAt(CURVE, items.get(i), what, "write - {at: 10m, rate: 20k/s}");
        continue;
      }
      Fields item = fields.item(CURVE, i, mapping, POINT_KEYS);
      for (String key : List.of("at", "rate")) {
        if (!item.has(key)) {
          item.add(key, "missing", "write {at: 10m, rate: 20k/s}");
        }
      }
      Optional<Duration> at = item.duration("at", Duration.ZERO);
      item.value("rate")
          .map(node -> Quantities.rate(item, "rate", node, meanBytes, true))
          .filter(rate -> rate.isPresent() && at.isPresent())
          .ifPresent(rate -> points.add(new Point(at.get(), rate.getAsDouble())));
    }
    inOrder(CURVE, points);
    return points;
  }

  /** AutoMQ's {@code [hour, minute, rate]} or {@code [minute, rate]}. */
  private RateSpec list() {
    List<YamlNode> items = fields.list(LIST);
    List<Point> points = new ArrayList<>();
    Origin origin = Origin.LOAD;
    int length = 0;
    for (YamlNode item : items) {
      List<YamlNode> parts = item instanceof YamlNode.Sequence s ? s.items() : List.of();
      if (parts.size() < 2 || parts.size() > 3 || (length != 0 && parts.size() != length)) {
        String remedy = "write [hour, minute, rate] each, or [minute, rate] each";
        fields.addAt(LIST, item, "not of one form", remedy);
        continue;
      }
      length = parts.size();
      origin = length == 3 ? Origin.DAY : Origin.LOAD;
      long hours = length == 3 ? fields.whole(LIST, parts.get(0), 0, 23).orElse(0) : 0;
      long mostMinutes = length == 3 ? 59 : DAY.toMinutes() - 1;
      long minutes = fields.whole(LIST, parts.get(length - 2), 0, mostMinutes).orElse(0);
      fields
          .number(LIST, parts.get(length - 1), 0, Quantities.MOST_RATE)
          .ifPresent(rate -> points.add(new Point(Duration.ofMinutes(hours * 60 + minutes), rate)));
    }
    inOrder(LIST, points);
    if (origin == Origin.LOAD && !points.isEmpty()) {
      // As AutoMQ's code has it, the curve closes over a day in this form too.
      points.add(new Point(points.get(0).at().plus(DAY), points.get(0).messagesPerSecond()));
    }
    notes.add(RATE + " is not used: " + LIST + " is given, as in the AutoMQ fork");
    return curve(points, origin);
  }

  private void inOrder(String key, List<Point> points) {
    for (int i = 1; i < points.size(); i++) {
      if (points.get(i).at().compareTo(points.get(i - 1).at()) <= 0) {
        String what = points.get(i).at().toSeconds() + " s does not come after the point before it";
        fields.add(key, what, "put the points in order of time");
        return;
      }
    }
  }

  private RateSpec curve(List<Point> points, Origin origin) {
    if (points.isEmpty()) {
      return RateSpec.constant(1);
    }
    if (points.stream().allMatch(point -> point.messagesPerSecond() == 0)) {
      fields.add(fields.has(CURVE) ? CURVE : LIST, "is 0 all the time", "raise a point above 0");
    }
    return new RateSpec(Pacing.FIXED, mean(points, origin), points, origin);
  }

  /** Of the stretch between first and last point; of the whole day where the curve closes. */
  private static double mean(List<Point> points, Origin origin) {
    List<Point> all = new ArrayList<>(points);
    if (origin == Origin.DAY) {
      all.add(new Point(points.get(0).at().plus(DAY), points.get(0).messagesPerSecond()));
    }
    double messages = 0;
    for (int i = 1; i < all.size(); i++) {
      double seconds = all.get(i).at().minus(all.get(i - 1).at()).toNanos() / 1e9;
      double ends = all.get(i).messagesPerSecond() + all.get(i - 1).messagesPerSecond();
      messages += seconds * ends / 2;
    }
    double length = all.get(all.size() - 1).at().minus(all.get(0).at()).toNanos() / 1e9;
    return length == 0 ? all.get(0).messagesPerSecond() : messages / length;
  }
}
