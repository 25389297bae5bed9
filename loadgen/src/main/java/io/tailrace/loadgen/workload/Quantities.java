// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads amounts that are either a bare number or a text with a unit. */
final class Quantities {
  static final double MOST_RATE = 1e9;

  private Quantities() {}

  /** Bytes at {@code key}: a whole number, or a text such as {@code 10GiB}. */
  static OptionalLong bytes(Fields fields, String key, long least, long most) {
    YamlNode node = fields.value(key).orElse(null);
    if (!(node instanceof YamlNode.Text text)) {
      return fields.whole(key, least, most);
    }
    Optional<Long> bytes = BytesText.parse(text.value());
    if (bytes.isEmpty()) {
      fields.add(key, "must be a number of bytes, not " + node.kind(), BytesText.FORMS);
    } else if (bytes.get() < least || bytes.get() > most) {
      String what = "must be from " + least + " to " + most + " bytes, not " + node.kind();
      fields.add(key, what, "give an amount in that range");
    } else {
      return OptionalLong.of(bytes.get());
    }
    return OptionalLong.empty();
  }

  /**
   * A rate at {@code key}, above 0: messages per second bare, or a text such as {@code 20k/s} or
   * {@code 500MB/s}.
   *
   * @param meanBytes mean size of messages, for rates in bytes
   */
  static OptionalDouble rate(Fields fields, String key, double meanBytes) {
    YamlNode node = fields.value(key).orElse(null);
    return node == null ? OptionalDouble.empty() : rate(fields, key, node, meanBytes, false);
  }

  /** The rate {@code node}, at or below {@code key}; it may be 0 when {@code orZero}. */
  static OptionalDouble rate(
      Fields fields, String key, YamlNode node, double meanBytes, boolean orZero) {
    double rate;
    if (node instanceof YamlNode.Number number) {
      rate = number.value().doubleValue();
    } else {
      Optional<RateText> text =
          node instanceof YamlNode.Text t ? RateText.parse(t.value()) : Optional.empty();
      if (text.isEmpty()) {
        fields.addAt(key, node, "must be a rate, not " + node.kind(), RateText.FORMS);
        return OptionalDouble.empty();
      }
      rate = text.get().messagesPerSecond(meanBytes);
    }
    if (rate < 0 || (rate == 0 && !orZero)) {
      String what = "must be " + (orZero ? "0 or more" : "above 0") + ", not " + node.kind();
      fields.addAt(key, node, what, "give the messages per second to offer");
    } else if (rate > MOST_RATE) {
      String what = "must be at most 1000000000 messages per second, not " + node.kind();
      fields.addAt(key, node, what, "give a lower rate");
    } else {
      return OptionalDouble.of(rate);
    }
    return OptionalDouble.empty();
  }

  /** A share at {@code key}: a number from 0 to 1, or a text such as {@code 0.5%}. */
  static OptionalDouble share(Fields fields, String key) {
    YamlNode node = fields.value(key).orElse(null);
    if (node instanceof YamlNode.Text text && text.value().strip().endsWith("%")) {
      String number = text.value().strip();
      number = number.substring(0, number.length() - 1).strip();
      if (number.matches("\\d{1,3}(\\.\\d{1,9})?") && Double.parseDouble(number) <= 100) {
        return OptionalDouble.of(Double.parseDouble(number) / 100);
      }
    }
    if (node instanceof YamlNode.Text) {
      fields.add(key, "must be a share, not " + node.kind(), "write it as 0.01 or 1%");
      return OptionalDouble.empty();
    }
    return fields.number(key, 0, 1);
  }
}
