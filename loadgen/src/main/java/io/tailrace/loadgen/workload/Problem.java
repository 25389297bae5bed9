// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

/**
 * One thing wrong with an input file.
 *
 * @param file the file as the user named it
 * @param line line from 1, or 0 when the problem has no line (a file that is not there)
 * @param keyPath where in the file, as {@code producerConfig.linger.ms}, or empty for the whole
 *     file
 * @param what what is wrong
 * @param remedy what to do about it
 */
public record Problem(String file, int line, String keyPath, String what, String remedy) {
  /** The problem as the one line that a user sees: {@code FILE:LINE: key.path: what; remedy}. */
  public String text() {
    String place = line > 0 ? file + ":" + line : file;
    String path = keyPath.isEmpty() ? "" : keyPath + ": ";
    return place + ": " + path + what + "; " + remedy;
  }
}
