// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;

/**
 * What a run needs beside its plan.
 *
 * @param otlpEndpoint base address of the collector's OTLP/HTTP receiver, without {@code /v1/logs}
 * @param summaryFile where to write summary.json, or null for nowhere
 * @param progress one line per second goes here
 */
public record RunOptions(URI otlpEndpoint, Path summaryFile, PrintStream progress) {}
