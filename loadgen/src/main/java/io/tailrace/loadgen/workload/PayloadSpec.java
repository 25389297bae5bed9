// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;
import java.util.List;

/** What message values are made of, behind the header of each. */
public sealed interface PayloadSpec {
  /** One text, made from the seed, in every message. */
  record Generated() implements PayloadSpec {}

  /**
   * A pool of values made from the seed, one of which each message carries.
   *
   * @param values how many, 1 or more
   * @param randomRatio share of each value's bytes that is random, 0 to 1; the rest is zero bytes
   */
  record RandomPool(int values, double randomRatio) implements PayloadSpec {}

  /**
   * Values as files hold them, one of which each message carries.
   *
   * @param files one or more
   */
  record Files(List<PayloadFile> files) implements PayloadSpec {
    public Files {
      files = List.copyOf(files);
    }
  }

  /**
   * A payload file.
   *
   * @param path where it is, or would be when it was made
   * @param content its bytes
   * @param made whether there was no such file, so that its content was made from its name
   */
  record PayloadFile(Path path, byte[] content, boolean made) {}
}
