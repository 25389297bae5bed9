// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import picocli.CommandLine.IVersionProvider;

/** The version, from the jar's manifest. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {"tailrace-loadgen " + (version == null ? "unpackaged" : version)};
  }
}
