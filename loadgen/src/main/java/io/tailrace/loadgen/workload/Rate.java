// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec.Origin;
import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The total rate: a number, a text, {@code max}, {@code discover}, or a curve. */
public final class Rate {
  /**
   * The total rate over all producers of all workers.
   *
   * @param pacing what decides when a message is sent
   * @param messagesPerSecond the rate, above 0, for {@link Pacing#FIXED} without a curve; the
   *     curve's mean with one; 0 for the others
   * @param curve rate over time, straight lines between its points, by time; empty for a constant
   *     rate
   * @param origin the time that the curve's times count from
   */
  public record RateSpec(
      Pacing pacing, double messagesPerSecond, List<Point> curve, Origin origin) {
    /** What decides when a message is sent. */
    public enum Pacing implements Kind.Labelled {
      /** A schedule, kept whatever the broker does. */
      FIXED,
      /** No schedule: as fast as {@code send()} takes messages. */
      UNLIMITED,
      /** A schedule whose rate rises until the broker does not follow. */
      DISCOVER
    }

    /**
     * What a curve's times count from; its rate is constant before its first and after its last.
     */
    public enum Origin {
      /** The start of the measure phase; phases before it have the first point's rate. */
      MEASURE,
      /** The start of all load, as in the AutoMQ fork: warm-up moves along the curve already. */
      LOAD,
      /** Midnight UTC, the curve closing over the day, as in the AutoMQ fork. */
      DAY
    }

    public record Point(Duration at, double messagesPerSecond) {}

    public RateSpec {
      curve = List.copyOf(curve);
    }

    public static RateSpec constant(double messagesPerSecond) {
      return new RateSpec(Pacing.FIXED, messagesPerSecond, List.of(), Origin.MEASURE);
    }

    private static RateSpec without(Pacing pacing) {
      return new RateSpec(pacing, 0, List.of(), Origin.MEASURE);
    }
  }

  /** OMB's users write this rate, or a higher one, for "unlimited". */
  private static final BigDecimal OMBS_MAX = BigDecimal.valueOf(10_000_000);

  /** A shorter search cannot judge a single rate. */
  private static final Duration LEAST_SEARCH = Duration.ofSeconds(4);

  private static final Map<String, Object> NUMBER = Key.json("type", "number");
  private static final Duration DAY = Duration.ofDays(1);
  private static final Kind<Pacing> WORDS =
      Kind.choice("max", Pacing.UNLIMITED, "discover", Pacing.DISCOVER);

  private static final Key<Duration> AT =
      Key.below("at", Quantities.TIME).means("time").asRequired();
  private static final Key<Quantities.Rate> AT_RATE =
      Key.below("rate", Quantities.RATE_OR_ZERO).means("rate at that time").asRequired();
  private static final List<Key<?>> POINT_KEYS = List.of(AT, AT_RATE);

  static final Key<YamlNode> RATE =
      Key.omb("producerRate", Kind.either(Quantities.RATE_OR_ZERO, WORDS))
          .means(
              "total rate; max for as fast as clients take messages; discover, or 0 in OMB's dialects,"
                  + " searches the highest rate that consumers follow");
  static final Key<List<YamlNode>> CURVE =
      Key.own("rateCurve", Kind.listOf(Kind.mapping(POINT_KEYS)))
          .means("straight lines between points, from the start of the measure phase");
  private static final Key<List<YamlNode>> LIST =
      Key.of(
              "producerRateList",
              Kind.listOrEmpty(
                  Kind.listOf(Kind.number(0, Quantities.MOST_RATE))
                      .withSchema(
                          Key.json(
                              "type", "array", "minItems", 2, "maxItems", 3, "items", NUMBER))),
              Dialect.AUTOMQ)
          .means("[hour, minute, rate] or [minute, rate], AutoMQ's curve");

  static final List<Key<?>> KEYS = List.of(RATE, CURVE, LIST);

  private final Fields fields;
  private final double meanBytes;

  private Rate(Fields fields, double meanBytes) {
    this.fields = fields;
    this.meanBytes = meanBytes;
  }

  static RateSpec read(
      Fields fields, Dialect dialect, double meanBytes, boolean produces, List<String> notes) {
    Rate rate = new Rate(fields, meanBytes);
    boolean list = fields.hasValue(LIST);
    if (list) {
      notes.add(RATE.name() + " is not used: " + LIST.name() + " is given, as in the AutoMQ fork");
    }
    if (!produces) {
      rate.checkUnused();
      return RateSpec.without(Pacing.FIXED);
    }
    if (fields.has(CURVE) && (fields.has(RATE) || list)) {
      rate.checkUnused();
      String other = (list ? LIST : RATE).name();
      fields.add(CURVE, "cannot be combined with " + other, "keep one of the two");
    }
    if (fields.has(CURVE)) {
      return rate.spec(CURVE, rate.curve(), Origin.MEASURE);
    }
    if (list) {
      rate.checkUnused();
      return rate.list();
    }
    return rate.single(dialect, notes);
  }

  /** A rate that has no effect must be valid all the same. OMB's files write 0 there. */
  private void checkUnused() {
    if (!fields.value(RATE).map(Rate::isWord).orElse(true)) {
      fields.messagesPerSecond(RATE, Quantities.RATE_OR_ZERO, meanBytes);
    }
    curve();
    list();
  }

  private RateSpec single(Dialect dialect, List<String> notes) {
    YamlNode node = fields.value(RATE).orElse(null);
    if (node == null) {
      String remedy = "add " + RATE.name() + ": N, messages per second over all producers";
      fields.add(RATE, "missing", remedy);
      return RateSpec.without(Pacing.FIXED);
    }
    if (isWord(node)) {
      return RateSpec.without(fields.read(RATE, WORDS).orElseThrow());
    }
    if (node instanceof YamlNode.Number number && dialect != Dialect.TAILRACE) {
      if (number.value().signum() == 0) {
        notes.add("producerRate 0 is taken as in OMB: find the highest rate that consumers follow");
        return RateSpec.without(Pacing.DISCOVER);
      }
      if (number.value().compareTo(OMBS_MAX) >= 0) {
        String meaning = " is taken as max, which OMB's users mean by it";
        notes.add(RATE.name() + " " + number.source() + meaning);
        return RateSpec.without(Pacing.UNLIMITED);
      }
    }
    return RateSpec.constant(fields.messagesPerSecond(RATE, Quantities.RATE, meanBytes).orElse(1));
  }

  private static boolean isWord(YamlNode node) {
    return node instanceof YamlNode.Text text && List.of("max", "discover").contains(text.value());
  }

  private List<Point> curve() {
    List<Point> points = new ArrayList<>();
    for (Fields item : fields.items(CURVE, CURVE.values(), POINT_KEYS, "{at: 10m, rate: 20k/s}")) {
      Optional<Duration> at = item.required(AT);
      item.required(AT_RATE);
      item.messagesPerSecond(AT_RATE, meanBytes)
          .ifPresent(rate -> at.ifPresent(time -> points.add(new Point(time, rate))));
    }
    checkOrder(CURVE, points);
    return points;
  }

  private RateSpec list() {
    List<Point> points = new ArrayList<>();
    int length = 0;
    for (YamlNode item : fields.read(LIST).orElse(List.of())) {
      List<YamlNode> numbers = item instanceof YamlNode.Sequence s ? s.items() : List.of();
      if (numbers.size() < 2 || numbers.size() > 3 || (length != 0 && numbers.size() != length)) {
        String remedy = "write [hour, minute, rate] each, or [minute, rate] each";
        fields.addAt(LIST.name(), item, "not of one form", remedy);
      } else {
        length = numbers.size();
        point(numbers).ifPresent(points::add);
      }
    }
    checkOrder(LIST, points);
    Origin origin = length == 3 ? Origin.DAY : Origin.LOAD;
    if (origin == Origin.LOAD && !points.isEmpty()) {
      // As AutoMQ's code has it, the curve closes over a day in this form too.
      points.add(new Point(points.get(0).at().plus(DAY), points.get(0).messagesPerSecond()));
    }
    return spec(LIST, points, origin);
  }

  /** A point from {@code [hour, minute, rate]} or {@code [minute, rate]}. */
  private Optional<Point> point(List<YamlNode> numbers) {
    String key = LIST.name();
    boolean hours = numbers.size() == 3;
    long hour = hours ? Kind.whole(0, 23).read(fields, key, numbers.get(0)).orElse(0L) : 0;
    Kind<Long> minutes = Kind.whole(0, hours ? 59 : DAY.toMinutes() - 1);
    long minute = minutes.read(fields, key, numbers.get(numbers.size() - 2)).orElse(0L);
    return Kind.number(0, Quantities.MOST_RATE)
        .read(fields, key, numbers.get(numbers.size() - 1))
        .map(rate -> new Point(Duration.ofMinutes(hour * 60 + minute), rate));
  }

  private void checkOrder(Key<?> key, List<Point> points) {
    for (int i = 1; i < points.size(); i++) {
      if (points.get(i).at().compareTo(points.get(i - 1).at()) <= 0) {
        String what = points.get(i).at().toSeconds() + " s is not after the previous point";
        fields.add(key, what, "put the points in order of time");
        return;
      }
    }
  }

  private RateSpec spec(Key<?> key, List<Point> points, Origin origin) {
    if (points.isEmpty()) {
      return RateSpec.constant(1);
    }
    if (points.stream().allMatch(point -> point.messagesPerSecond() == 0)) {
      fields.add(key, "is always 0", "raise a point above 0");
    }
    return new RateSpec(Pacing.FIXED, mean(points, origin), points, origin);
  }

  /** The mean between first and last point, or over the whole day where the curve closes. */
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

  static void check(Workload workload, Fields fields) {
    Topics.refuseWithoutProducers(workload, fields, CURVE);
    if (workload.behaviour().rate().pacing() != Pacing.DISCOVER) {
      return;
    }
    PhasesSpec phases = workload.phases();
    Duration search = phases.warmupRate().isPresent() ? Duration.ZERO : phases.warmup();
    if (search.plus(phases.settle()).compareTo(LEAST_SEARCH) < 0) {
      String what = "is searched in the warm-up, which is too short";
      String remedy = "set warmupDuration: 60s and no warm-up rate, or set a rate";
      fields.addUnlessBad(RATE, what, remedy);
    }
  }
}
