// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Splits text in {@link Properties} format into properties with their lines. {@link Properties}
 * itself does the reading, one property at a time, because it neither tells lines nor goes on after
 * a malformed escape.
 */
final class PropertiesSection {
  /**
   * One property, or one piece of text that is none.
   *
   * @param line line in the file, from 1
   * @param malformed whether the piece has a malformed escape; key and value are empty then
   */
  record Property(int line, String key, String value, boolean malformed) {}

  private PropertiesSection() {}

  /**
   * @param firstLine line of the file that the text begins on
   */
  static List<Property> parse(String text, int firstLine) {
    List<Property> properties = new ArrayList<>();
    List<String> lines = text.lines().toList();
    int i = 0;
    while (i < lines.size()) {
      int start = i;
      StringBuilder piece = new StringBuilder(lines.get(i++));
      while (i < lines.size() && continues(lines.get(i - 1), start == i - 1)) {
        piece.append('\n').append(lines.get(i++));
      }
      add(properties, firstLine + start, piece.toString());
    }
    return properties;
  }

  /** Whether a line ends in a backslash that is not itself escaped; a comment never continues. */
  private static boolean continues(String line, boolean firstOfPiece) {
    String stripped = line.stripLeading();
    if (firstOfPiece && (stripped.startsWith("#") || stripped.startsWith("!"))) {
      return false;
    }
    int backslashes = 0;
    while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }

  private static void add(List<Property> properties, int line, String piece) {
    Properties one = new Properties();
    try {
      one.load(new StringReader(piece));
    } catch (IllegalArgumentException e) {
      properties.add(new Property(line, "", "", true));
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory cannot fail", e);
    }
    one.stringPropertyNames()
        .forEach(key -> properties.add(new Property(line, key, one.getProperty(key), false)));
  }
}
