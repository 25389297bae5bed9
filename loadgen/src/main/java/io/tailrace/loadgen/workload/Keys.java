// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The keys of messages: OMB's {@code keyDistributor} or Tailrace's {@code keys}. */
public final class Keys {
  /**
   * Keys of messages. The random seed decides which keys there are.
   *
   * @param count number of different keys, 1 or more; 0 for {@link Choice#NONE}
   * @param bytes size of each key; 0 for {@link Choice#NONE}
   * @param exponent skew of {@link Choice#ZIPF}: the k-th most frequent key has weight
   *     1/k^exponent; 0 otherwise
   */
  public record KeySpec(Choice choice, int count, int bytes, double exponent) {
    public enum Choice implements Kind.Labelled {
      NONE,
      ROUND_ROBIN,
      RANDOM,
      ZIPF
    }

    public static final KeySpec NO_KEYS = new KeySpec(Choice.NONE, 0, 0, 0);

    private static KeySpec of(Choice choice, int count, int bytes, double exponent) {
      return choice == Choice.NONE
          ? NO_KEYS
          : new KeySpec(choice, count, bytes, choice == Choice.ZIPF ? exponent : 0);
    }

    /** OMB has 10,000 keys of seven random bytes in Base64. */
    private static KeySpec usual(Choice choice) {
      return of(choice, COUNT, BYTES, EXPONENT);
    }
  }

  private static final int COUNT = 10_000;
  private static final int BYTES = 10;
  private static final double EXPONENT = 0.99;

  private static final Kind<KeySpec.Choice> CHOICES = Kind.choice(KeySpec.Choice.values());
  private static final Key<KeySpec.Choice> CHOICE =
      Key.below("choice", CHOICES).means("how each message's key is chosen").asRequired();
  private static final Key<Integer> KEY_COUNT =
      Key.below("count", Kind.count(1, 100_000_000))
          .means("number of different keys; default 10000");
  private static final Key<Integer> KEY_BYTES =
      Key.below("bytes", Quantities.bytes(6, 1 << 16).map(Math::toIntExact))
          .means("size of each key, 6 or more; default 10");
  private static final Key<Double> SKEW =
      Key.below("exponent", Kind.number(0.01, 10)).means("skew of zipf; default 0.99");

  private static final Key<KeySpec> OMB =
      Key.omb("keyDistributor", Kind.choice(ombWords()).map(KeySpec::usual))
          .means("how each message's key is chosen, of 10,000 keys of 10 bytes; default NO_KEY");
  static final Key<KeySpec> OWN =
      Key.own(
              "keys",
              Kind.either(
                  Kind.mapping(List.of(CHOICE, KEY_COUNT, KEY_BYTES, SKEW)).map(Keys::read),
                  YamlNode.Text.class,
                  CHOICES.map(KeySpec::usual)))
          .means("keys of messages; default none");

  static final List<Key<?>> KEYS = List.of(OMB, OWN);

  private Keys() {}

  private static Map<String, KeySpec.Choice> ombWords() {
    Map<String, KeySpec.Choice> words = new LinkedHashMap<>();
    words.put("NO_KEY", KeySpec.Choice.NONE);
    words.put("KEY_ROUND_ROBIN", KeySpec.Choice.ROUND_ROBIN);
    words.put("RANDOM_NANO", KeySpec.Choice.RANDOM);
    return words;
  }

  static KeySpec readAll(Fields fields) {
    fields.refuseBeside(OWN, OMB);
    KeySpec omb = fields.read(OMB).orElse(KeySpec.NO_KEYS);
    return fields.has(OWN) ? fields.read(OWN).orElse(KeySpec.NO_KEYS) : omb;
  }

  private static KeySpec read(Fields keys) {
    Optional<KeySpec.Choice> choice = keys.required(CHOICE);
    if (keys.has(SKEW) && choice.filter(c -> c == KeySpec.Choice.ZIPF).isEmpty()) {
      keys.add(SKEW, "has an effect only with zipf", "remove it, or set choice: zipf");
    }
    return KeySpec.of(
        choice.orElse(KeySpec.Choice.NONE),
        keys.read(KEY_COUNT).orElse(COUNT),
        keys.read(KEY_BYTES).orElse(BYTES),
        keys.read(SKEW).orElse(EXPONENT));
  }

  static void check(Workload workload, Fields fields) {
    if (workload.behaviour().keys().choice() != KeySpec.Choice.NONE) {
      Topics.refuseWithoutProducers(workload, fields, OWN);
    }
  }
}
