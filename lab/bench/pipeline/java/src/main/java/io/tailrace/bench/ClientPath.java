// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import com.clickhouse.client.api.Client;
import com.clickhouse.client.api.insert.InsertResponse;
import com.clickhouse.client.api.insert.InsertSettings;
import com.clickhouse.data.ClickHouseFormat;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * The same narrow rows as ours without blocks and collector: ClickHouse's Java client inserts
 * RowBinary into {@code publishes}, 100,000 rows or one second at a time, lz4, asynchronously. The
 * rows are written straight into the request's bytes, as the client's documentation advises for
 * speed; no object is made for a row.
 */
final class ClientPath implements EventPath {
  private static final int ROWS = 100_000;
  private static final long BATCH_MICROS = 1_000_000;
  private static final int IN_FLIGHT = 4;
  private static final List<String> COLUMNS =
      List.of(
          "run_id",
          "worker",
          "producer",
          "topic",
          "partition",
          "offset",
          "intended_time",
          "publish_delay_us",
          "ack_time",
          "payload_bytes");
  // Numbers of a row, and three lengths and strings of at most 64 bytes in all.
  private static final int ROW_BYTES = 2 + 4 + 4 + 8 + 8 + 8 + 8 + 4 + 66;

  private final Client client;
  private final byte[][] topics = new byte[MessageAttributes.TOPICS][];
  private final Queue<Insert> inserts = new ArrayDeque<>();
  private byte[] run;
  private ByteBuffer rows;
  private int count;
  private long firstMicros;
  private long lost;

  private record Insert(int rows, CompletableFuture<InsertResponse> answer) {}

  /**
   * @param warehouse address of ClickHouse's HTTP interface; WAREHOUSE_USER and WAREHOUSE_PASSWORD
   *     are in the environment
   */
  ClientPath(URI warehouse) {
    client =
        new Client.Builder()
            .addEndpoint(warehouse.toString())
            .setUsername(System.getenv("WAREHOUSE_USER"))
            .setPassword(System.getenv("WAREHOUSE_PASSWORD"))
            .compressClientRequest(true)
            .useAsyncRequests(true)
            .build();
    for (int topic = 0; topic < topics.length; topic++) {
      topics[topic] = MessageAttributes.topic(topic).getBytes(StandardCharsets.UTF_8);
    }
  }

  @Override
  public void begin(String name) {
    run = name.getBytes(StandardCharsets.UTF_8);
    lost = 0;
    nextBatch();
  }

  private void nextBatch() {
    rows = ByteBuffer.allocate(ROWS * ROW_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    count = 0;
  }

  @Override
  public void acked(Acks ack) {
    long now = ack.ackMicros();
    if (count == 0) {
      firstMicros = now;
    } else if (count == ROWS || now - firstMicros >= BATCH_MICROS) {
      send();
      firstMicros = now;
    }
    string(run);
    rows.putShort((short) 0).putInt(0);
    string(topics[ack.topic()]);
    rows.putInt(ack.partition())
        .putLong(ack.offset())
        .putLong(ack.intendedMicros())
        .putLong(ack.publishDelayMicros())
        .putLong(now)
        .putInt(Acks.PAYLOAD_BYTES);
    count++;
  }

  private void string(byte[] text) {
    rows.put((byte) text.length).put(text);
  }

  private void send() {
    if (inserts.size() == IN_FLIGHT) {
      await(inserts.remove());
    }
    ByteArrayInputStream body = new ByteArrayInputStream(rows.array(), 0, rows.position());
    inserts.add(
        new Insert(
            count,
            client.insert(
                "publishes", COLUMNS, body, ClickHouseFormat.RowBinary, new InsertSettings())));
    nextBatch();
  }

  private void await(Insert insert) {
    try {
      insert.answer().join().close();
    } catch (RuntimeException e) {
      System.err.println("an insert of " + insert.rows() + " rows failed: " + e);
      lost += insert.rows();
    }
  }

  @Override
  public long end() {
    if (count > 0) {
      send();
    }
    while (!inserts.isEmpty()) {
      await(inserts.remove());
    }
    return lost;
  }
}
