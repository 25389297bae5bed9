// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import org.apache.kafka.common.KafkaException;

/** Turns the exception of a client that could not be created into one line for the user. */
final class ClientErrors {
  private ClientErrors() {}

  static BadInputException refused(String section, KafkaException cause) {
    return new BadInputException(
        section + ": " + reason(cause) + "; correct this section of the driver file", cause);
  }

  /** The innermost message, on one line: the outer ones are only "Failed to construct". */
  static String reason(Throwable cause) {
    Throwable innermost = innermost(cause);
    String message = innermost.getMessage();
    if (message == null || message.isBlank()) {
      return innermost.getClass().getSimpleName();
    }
    String oneLine = message.replaceAll("\\s+", " ").strip();
    return oneLine.endsWith(".") ? oneLine.substring(0, oneLine.length() - 1) : oneLine;
  }

  /** The innermost class: the outer ones only state that the client is in an error state. */
  static String errorClass(Throwable cause) {
    return innermost(cause).getClass().getSimpleName();
  }

  private static Throwable innermost(Throwable cause) {
    Throwable innermost = cause;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    return innermost;
  }
}
