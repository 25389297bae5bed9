// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/secrets.yaml by make contracts. Do not edit.
package io.tailrace.loadgen.contract;

/** Names whose values are never shown. */
public final class SecretNames {
  /** Replaces a secret value. */
  public static final String MASK = "***";

  /** Found in a name, in any case of letters. */
  public static final String PATTERN =
      "password|passwd|jaas|secret|token|credential|keystore\\.key|(?:private|access|api)[._-]?key";

  private SecretNames() {}
}
