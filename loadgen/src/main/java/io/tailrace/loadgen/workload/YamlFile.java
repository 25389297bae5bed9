// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Reads one YAML file into nodes with lines. Repeated keys stay, for the caller to report them all.
 */
final class YamlFile {
  private static final YAMLFactory FACTORY = new YAMLFactory();

  private final String name;
  private final List<String> lines;
  private final Problems problems;

  private YamlFile(String name, List<String> lines, Problems problems) {
    this.name = name;
    this.lines = lines;
    this.problems = problems;
  }

  /** The mapping at the top of the file, or empty after adding a problem. */
  static Optional<YamlNode.Mapping> read(Path file, Problems problems) {
    String name = file.toString();
    String text;
    try {
      text = Files.readString(file);
    } catch (CharacterCodingException e) {
      problems.add(new Problem(name, 0, "", "is not UTF-8 text", "save it as UTF-8"));
      return Optional.empty();
    } catch (IOException e) {
      String what = Files.exists(file) ? "cannot be read" : "not found";
      problems.add(new Problem(name, 0, "", what, "give the path of a readable YAML file"));
      return Optional.empty();
    }
    return new YamlFile(name, text.lines().toList(), problems).parse(text);
  }

  private Optional<YamlNode.Mapping> parse(String text) {
    try (YAMLParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        return refuse(0, "is empty", "write one key: value per line");
      }
      if (!(value(parser) instanceof YamlNode.Mapping mapping)) {
        return refuse(1, "is not a mapping", "write one key: value per line");
      }
      if (parser.nextToken() != null) {
        int line = parser.currentTokenLocation().getLineNr();
        return refuse(line, "holds a second document", "keep one document per file");
      }
      return Optional.of(mapping);
    } catch (JsonProcessingException e) {
      return refuse(lineOf(e), "is not valid YAML: " + reasonOf(e), "correct the syntax");
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory cannot fail", e);
    }
  }

  private Optional<YamlNode.Mapping> refuse(int line, String what, String remedy) {
    problems.add(new Problem(name, line, "", what, remedy));
    return Optional.empty();
  }

  private YamlNode value(YAMLParser parser) throws IOException {
    int line = parser.currentTokenLocation().getLineNr();
    if (parser.isCurrentAlias()) {
      problems.add(
          new Problem(name, line, "", "YAML aliases are not supported", "write the value out"));
      return new YamlNode.Nothing(line);
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> mapping(parser, line);
      case START_ARRAY -> sequence(parser, line);
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser, line);
      case VALUE_TRUE, VALUE_FALSE -> new YamlNode.Flag(line, parser.getBooleanValue());
      case VALUE_NULL -> new YamlNode.Nothing(line);
      default -> text(parser, line);
    };
  }

  private YamlNode mapping(YAMLParser parser, int line) throws IOException {
    List<YamlNode.Entry> entries = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      int keyLine = parser.currentTokenLocation().getLineNr();
      parser.nextToken();
      entries.add(new YamlNode.Entry(key, keyLine, value(parser)));
    }
    return new YamlNode.Mapping(line, List.copyOf(entries));
  }

  private YamlNode sequence(YAMLParser parser, int line) throws IOException {
    List<YamlNode> items = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      items.add(value(parser));
    }
    return new YamlNode.Sequence(line, List.copyOf(items));
  }

  private YamlNode number(YAMLParser parser, int line) throws IOException {
    String source = parser.getText();
    boolean whole = parser.currentToken() == JsonToken.VALUE_NUMBER_INT;
    try {
      BigDecimal value =
          whole ? new BigDecimal(parser.getBigIntegerValue()) : parser.getDecimalValue();
      return new YamlNode.Number(line, source, value, whole);
    } catch (NumberFormatException | JsonProcessingException e) {
      return new YamlNode.Text(line, line, source); // .inf and .nan: numbers to YAML, not to us
    }
  }

  private YamlNode text(YAMLParser parser, int line) throws IOException {
    JsonLocation start = parser.currentTokenLocation();
    String source = line <= lines.size() ? lines.get(line - 1) : "";
    int column = start.getColumnNr() - 1;
    boolean block =
        column >= 0 && column < source.length() && "|>".indexOf(source.charAt(column)) >= 0;
    return new YamlNode.Text(line, block ? line + 1 : line, parser.getText());
  }

  /** YAML's own parser marks where the problem is; Jackson passes on where its context began. */
  private static int lineOf(JsonProcessingException e) {
    if (e.getCause() instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
      return marked.getProblemMark().getLine() + 1;
    }
    return e.getLocation() == null ? 0 : e.getLocation().getLineNr();
  }

  private static String reasonOf(JsonProcessingException e) {
    String reason =
        e.getCause() instanceof MarkedYAMLException marked
            ? marked.getProblem()
            : e.getOriginalMessage();
    return reason.lines().findFirst().orElse("unreadable").strip();
  }
}
