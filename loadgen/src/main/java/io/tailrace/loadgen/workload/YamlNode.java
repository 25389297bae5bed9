// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.tailrace.loadgen.workload.Problems.Problem;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** A YAML value that still knows its line, which bound objects and Jackson's own tree do not. */
sealed interface YamlNode {
  /** Line on which the value starts, from 1. */
  int line();

  /** The value in a few words, for an error. */
  String describe();

  /** The value as one would write it on one line. */
  default String text() {
    return describe();
  }

  /** A text; that of a block scalar begins below its {@link #line()}. */
  record Text(int line, int firstContentLine, String value) implements YamlNode {
    @Override
    public String describe() {
      return "the text \"" + value.strip().lines().findFirst().orElse("") + "\"";
    }

    @Override
    public String text() {
      return value;
    }
  }

  /** A number; {@code whole} if written without fraction or exponent. */
  record Number(int line, String source, BigDecimal value, boolean whole) implements YamlNode {
    @Override
    public String describe() {
      return source;
    }
  }

  record Flag(int line, boolean value) implements YamlNode {
    @Override
    public String describe() {
      return Boolean.toString(value);
    }
  }

  /** Nothing after the colon, {@code ~} or {@code null}. */
  record Nothing(int line) implements YamlNode {
    @Override
    public String describe() {
      return "empty";
    }

    @Override
    public String text() {
      return "";
    }
  }

  record Sequence(int line, List<YamlNode> items) implements YamlNode {
    @Override
    public String describe() {
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
    public String describe() {
      return "a mapping";
    }

    @Override
    public String text() {
      return entries.stream()
          .map(entry -> entry.key() + ": " + entry.value().text())
          .collect(Collectors.joining(", ", "{", "}"));
    }
  }

  /** One entry of a mapping; {@code file} is null unless it is another than the mapping's. */
  record Entry(String key, int line, YamlNode value, String file) {
    Entry(String key, int line, YamlNode value) {
      this(key, line, value, null);
    }
  }

  /** The mapping at the top of a YAML file, or empty after adding a problem. */
  static Optional<Mapping> read(Path file, Problems problems) {
    return Reader.read(file, problems);
  }

  /** Reads one file. Repeated keys stay, for the caller to report them all. */
  record Reader(String name, List<String> lines, Problems problems) {
    private static final YAMLFactory FACTORY = new YAMLFactory();

    static Optional<Mapping> read(Path file, Problems problems) {
      String name = file.toString();
      String text;
      try {
        text = DefaultedVariables.replaced(Files.readString(file));
      } catch (CharacterCodingException e) {
        problems.add(new Problem(name, 0, "", "is not UTF-8 text", "save it as UTF-8"));
        return Optional.empty();
      } catch (IOException e) {
        String what = Files.exists(file) ? "cannot be read" : "not found";
        problems.add(new Problem(name, 0, "", what, "give the path of a readable YAML file"));
        return Optional.empty();
      }
      return new Reader(name, text.lines().toList(), problems).parse(text);
    }

    private Optional<Mapping> parse(String text) {
      try (YAMLParser parser = FACTORY.createParser(text)) {
        if (parser.nextToken() == null) {
          return refuse(0, "is empty", "write one key: value per line");
        }
        if (!(value(parser) instanceof Mapping mapping)) {
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

    private Optional<Mapping> refuse(int line, String what, String remedy) {
      problems.add(new Problem(name, line, "", what, remedy));
      return Optional.empty();
    }

    private YamlNode value(YAMLParser parser) throws IOException {
      int line = parser.currentTokenLocation().getLineNr();
      if (parser.isCurrentAlias()) {
        problems.add(
            new Problem(name, line, "", "YAML aliases are not supported", "write the value out"));
        return new Nothing(line);
      }
      return switch (parser.currentToken()) {
        case START_OBJECT -> mapping(parser, line);
        case START_ARRAY -> sequence(parser, line);
        case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser, line);
        case VALUE_TRUE, VALUE_FALSE -> new Flag(line, parser.getBooleanValue());
        case VALUE_NULL -> new Nothing(line);
        default -> text(parser, line);
      };
    }

    private YamlNode mapping(YAMLParser parser, int line) throws IOException {
      List<Entry> entries = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String key = parser.currentName();
        int keyLine = parser.currentTokenLocation().getLineNr();
        parser.nextToken();
        entries.add(new Entry(key, keyLine, value(parser)));
      }
      return new Mapping(line, List.copyOf(entries));
    }

    private YamlNode sequence(YAMLParser parser, int line) throws IOException {
      List<YamlNode> items = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        items.add(value(parser));
      }
      return new Sequence(line, List.copyOf(items));
    }

    private YamlNode number(YAMLParser parser, int line) throws IOException {
      String source = parser.getText();
      boolean whole = parser.currentToken() == JsonToken.VALUE_NUMBER_INT;
      try {
        BigDecimal value =
            whole ? new BigDecimal(parser.getBigIntegerValue()) : parser.getDecimalValue();
        return new Number(line, source, value, whole);
      } catch (NumberFormatException | JsonProcessingException e) {
        return new Text(line, line, source); // .inf and .nan: numbers to YAML, not to us
      }
    }

    private YamlNode text(YAMLParser parser, int line) throws IOException {
      JsonLocation start = parser.currentTokenLocation();
      String source = line <= lines.size() ? lines.get(line - 1) : "";
      int column = start.getColumnNr() - 1;
      boolean block =
          column >= 0 && column < source.length() && "|>".indexOf(source.charAt(column)) >= 0;
      return new Text(line, block ? line + 1 : line, parser.getText());
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
}
