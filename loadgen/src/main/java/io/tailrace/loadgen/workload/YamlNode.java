// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;

/** A YAML value that still knows its line, which bound objects and Jackson's own tree do not. */
sealed interface YamlNode {
  /** Line on which the value starts, from 1. */
  int line();

  /** What a user calls this kind of value. */
  String kind();

  /** The value as one would write it on one line. */
  String text();

  /**
   * A text.
   *
   * @param firstContentLine line of the text's first character; below {@link #line()} for a block
   *     scalar
   */
  record Text(int line, int firstContentLine, String value) implements YamlNode {
    @Override
    public String kind() {
      return "the text \"" + value.strip().lines().findFirst().orElse("") + "\"";
    }

    @Override
    public String text() {
      return value;
    }
  }

  /**
   * A number.
   *
   * @param whole written without fraction or exponent
   */
  record Number(int line, String source, BigDecimal value, boolean whole) implements YamlNode {
    @Override
    public String kind() {
      return source;
    }

    @Override
    public String text() {
      return source;
    }
  }

  /** {@code true} or {@code false}. */
  record Flag(int line, boolean value) implements YamlNode {
    @Override
    public String kind() {
      return Boolean.toString(value);
    }

    @Override
    public String text() {
      return kind();
    }
  }

  /** Nothing after the colon, {@code ~} or {@code null}. */
  record Nothing(int line) implements YamlNode {
    @Override
    public String kind() {
      return "empty";
    }

    @Override
    public String text() {
      return "";
    }
  }

  /** A sequence. */
  record Sequence(int line, List<YamlNode> items) implements YamlNode {
    @Override
    public String kind() {
      return "a list";
    }

    @Override
    public String text() {
      return items.stream().map(YamlNode::text).collect(Collectors.joining(", ", "[", "]"));
    }
  }

  /** A mapping, its entries in file order, a repeated key repeated. */
  record Mapping(int line, List<Entry> entries) implements YamlNode {
    @Override
    public String kind() {
      return "a mapping";
    }

    @Override
    public String text() {
      return entries.stream()
          .map(entry -> entry.key() + ": " + entry.value().text())
          .collect(Collectors.joining(", ", "{", "}"));
    }
  }

  /**
   * One entry of a mapping.
   *
   * @param file the file that it stands in, where that is not the mapping's; else null
   */
  record Entry(String key, int line, YamlNode value, String file) {
    /** An entry of the mapping's own file. */
    Entry(String key, int line, YamlNode value) {
      this(key, line, value, null);
    }
  }
}
