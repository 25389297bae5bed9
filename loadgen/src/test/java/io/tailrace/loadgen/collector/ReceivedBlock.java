// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.collector;

import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A block as a collector receives it.
 *
 * @param attributes the log record's attributes: text and whole numbers by key
 * @param firstSeq the block number that the collector saw first
 */
public record ReceivedBlock(Map<String, Object> attributes, byte[] body, long firstSeq) {
  static ReceivedBlock of(LogRecord log, long firstSeq) {
    byte[] body = log.getBody().getBytesValue().toByteArray();
    return new ReceivedBlock(attributes(log.getAttributesList()), body, firstSeq);
  }

  /** OTLP attributes of text and whole numbers, by key. */
  public static Map<String, Object> attributes(List<KeyValue> pairs) {
    Map<String, Object> attributes = new HashMap<>();
    for (KeyValue pair : pairs) {
      var value = pair.getValue();
      attributes.put(
          pair.getKey(),
          value.hasStringValue() ? value.getStringValue() : (Object) value.getIntValue());
    }
    return attributes;
  }

  public String runId() {
    return (String) attributes.get("tailrace.run.id");
  }

  long worker() {
    return (long) attributes.get("tailrace.worker.id");
  }

  public String stream() {
    return (String) attributes.get("tailrace.stream");
  }

  /** Number of the block, from 0 for the first block that the collector received. */
  public long seq() {
    return (long) attributes.get("tailrace.block.seq") - firstSeq;
  }

  /** What ClickHouse deduplicates by. */
  public String token() {
    return runId() + "/" + worker() + "/" + stream() + "/" + seq();
  }
}
