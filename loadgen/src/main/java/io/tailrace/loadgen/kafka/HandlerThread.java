// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A thread that handles messages which another thread polled: it records them and does the
 * simulated work. Several threads may share one queue.
 */
final class HandlerThread {
  record Batch(List<ConsumerRecord<ByteBuffer, ByteBuffer>> records, long receiveMicros) {}

  private static final int STACK_BYTES = 512 * 1024;
  private static final long IDLE_MILLIS = 100;

  private final String name;
  private final BlockingQueue<Batch> queue;
  private final AtomicLong open;
  private final Receiver receiver;
  private final Processing processing;
  private final FailureListener failures;
  private volatile boolean stopped;

  HandlerThread(
      String name,
      BlockingQueue<Batch> queue,
      AtomicLong open,
      Receiver receiver,
      Processing processing,
      FailureListener failures) {
    this.name = name;
    this.queue = queue;
    this.open = open;
    this.receiver = receiver;
    this.processing = processing;
    this.failures = failures;
  }

  Thread start() {
    Thread thread = new Thread(null, this::run, name.replace(' ', '-'), STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  void stop() {
    stopped = true;
  }

  Receiver receiver() {
    return receiver;
  }

  private void run() {
    try {
      while (true) {
        boolean last = stopped;
        Batch batch = queue.poll(last ? 0 : IDLE_MILLIS, TimeUnit.MILLISECONDS);
        if (batch != null) {
          batch.records().forEach(record -> receiver.receive(record, batch.receiveMicros()));
          processing.spend(batch.records().size());
          open.addAndGet(-batch.records().size());
        } else if (last) {
          return;
        }
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      failures.failed(name, e);
    }
  }
}
