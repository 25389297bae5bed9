// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.List;
import java.util.stream.Collectors;

/** The input files cannot be used. The message has one line per problem. */
public final class InvalidInputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param problems one or more
   */
  public InvalidInputException(List<Problem> problems) {
    super(problems.stream().map(Problem::text).collect(Collectors.joining("\n")));
  }
}
