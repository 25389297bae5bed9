// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.workload.Dialect;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the value of {@code --dialect}. */
final class DialectConverter implements ITypeConverter<Dialect> {
  @Override
  public Dialect convert(String text) {
    return Dialect.labelled(text)
        .orElseThrow(() -> new TypeConversionException(text + " is not one of " + all()));
  }

  private static String all() {
    return Arrays.stream(Dialect.values()).map(Dialect::label).collect(Collectors.joining(", "));
  }
}
