// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.collector;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.HexFormat;

/** A span as a collector receives it; ids in hexadecimal digits, {@code parent} empty for none. */
public record ReceivedSpan(String trace, String id, String parent, String name) {
  static ReceivedSpan of(Span span) {
    return new ReceivedSpan(
        hex(span.getTraceId()), hex(span.getSpanId()), hex(span.getParentSpanId()), span.getName());
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }
}
