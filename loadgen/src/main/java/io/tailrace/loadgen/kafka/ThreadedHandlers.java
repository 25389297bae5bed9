// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.kafka.HandlerThread.Batch;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Separate threads handle the messages: one for each partition, or a pool that shares a queue.
 * Queues are not bounded: the polling thread checks {@link #open()} and stops fetching.
 */
final class ThreadedHandlers implements Handlers {
  /** Makes a handler, given its number, its queue and the count of open messages. */
  @FunctionalInterface
  interface Maker {
    HandlerThread make(int number, BlockingQueue<Batch> queue, AtomicLong open);
  }

  private static final Duration STOP = Duration.ofSeconds(5);

  private final AtomicLong open = new AtomicLong();
  private final List<HandlerThread> handlers = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<Integer, BlockingQueue<Batch>> queues = new HashMap<>();
  private final IntFunction<BlockingQueue<Batch>> queueOfPartition;

  private ThreadedHandlers(IntFunction<BlockingQueue<Batch>> queueOfPartition) {
    this.queueOfPartition = queueOfPartition;
  }

  /** A thread for each partition that messages come from. */
  static ThreadedHandlers perPartition(Maker maker) {
    ThreadedHandlers[] self = new ThreadedHandlers[1];
    self[0] =
        new ThreadedHandlers(
            partition -> self[0].startHandler(partition, new LinkedBlockingQueue<>(), maker));
    return self[0];
  }

  static ThreadedHandlers pool(int count, Maker maker) {
    BlockingQueue<Batch> shared = new LinkedBlockingQueue<>();
    ThreadedHandlers pool = new ThreadedHandlers(partition -> shared);
    for (int i = 0; i < count; i++) {
      pool.startHandler(i, shared, maker);
    }
    return pool;
  }

  private BlockingQueue<Batch> startHandler(int number, BlockingQueue<Batch> queue, Maker maker) {
    HandlerThread handler = maker.make(number, queue, open);
    handlers.add(handler);
    threads.add(handler.start());
    return queue;
  }

  @Override
  public void take(ConsumerRecords<ByteBuffer, ByteBuffer> records, long receiveMicros) {
    open.addAndGet(records.count());
    for (TopicPartition partition : records.partitions()) {
      queues
          .computeIfAbsent(partition.partition(), queueOfPartition::apply)
          .add(new Batch(records.records(partition), receiveMicros));
    }
  }

  @Override
  public long open() {
    return open.get();
  }

  @Override
  public void stop() {
    handlers.forEach(HandlerThread::stop);
    long deadline = System.nanoTime() + STOP.toNanos();
    for (Thread thread : threads) {
      try {
        thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public List<Receiver> receivers() {
    return handlers.stream().map(HandlerThread::receiver).toList();
  }
}
