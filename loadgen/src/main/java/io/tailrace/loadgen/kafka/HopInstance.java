// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.plan.Plan;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * One instance of a {@link TransformHop}: a consumer, a producer and the thread that uses both. A
 * transaction has the messages of one poll(). After an error that a transaction survives, it aborts
 * and reads again from the committed offsets; after any other it makes its clients again.
 */
final class HopInstance {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final long AFTER_ERROR_MILLIS = 200;

  private final Plan plan;
  private final String source;
  private final String target;
  private final int number;
  private final HopCounts counts;
  private final HopPause pause = new HopPause();
  private final Thread thread;
  private KafkaConsumer<byte[], byte[]> consumer;
  private KafkaProducer<byte[], byte[]> producer;
  private volatile boolean begun;
  private volatile boolean replaced;
  private volatile boolean stopped;

  HopInstance(Plan plan, String source, String target, int number, HopCounts counts) {
    this.plan = plan;
    this.source = source;
    this.target = target;
    this.number = number;
    this.counts = counts;
    this.thread = new Thread(this::run, "hop-" + source + "-" + number);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void stop() {
    stopped = true;
    pause.resume();
  }

  boolean ended() {
    return !thread.isAlive();
  }

  void awaitEnd() throws InterruptedException {
    thread.join();
  }

  /** Another instance with the same transactional id, which is not started. */
  HopInstance replacement() {
    return new HopInstance(plan, source, target, number, counts);
  }

  /** Its next transaction waits, after its messages are written, for {@link #resume}. */
  void pauseInTransaction() {
    pause.request();
  }

  boolean paused() {
    return pause.paused();
  }

  void resume() {
    pause.resume();
  }

  /** A newer instance has begun: this one ends at its next commit, which must fail. */
  void replaced() {
    replaced = true;
  }

  /** Whether its producer is initialised: an older one with its id is fenced. */
  boolean begun() {
    return begun;
  }

  private void run() {
    while (!stopped) {
      try {
        open();
        while (!stopped) {
          copy(consumer.poll(POLL));
        }
      } catch (RuntimeException e) {
        failed(e);
      } finally {
        close();
      }
    }
  }

  private void failed(RuntimeException e) {
    stopped |= replaced;
    if (replaced && fences(e)) {
      counts.addFenced();
      return;
    }
    counts.addReset(ClientErrors.errorClass(e));
    try {
      Thread.sleep(AFTER_ERROR_MILLIS);
    } catch (InterruptedException interrupted) {
      stopped = true;
    }
  }

  private static boolean fences(Throwable e) {
    return e instanceof ProducerFencedException
        || e instanceof InvalidProducerEpochException
        || (e.getCause() != null && fences(e.getCause()));
  }

  private void open() {
    HopConfig config = new HopConfig(plan, source, number);
    producer = new KafkaProducer<>(config.producer());
    producer.initTransactions();
    begun = true;
    consumer = new KafkaConsumer<>(config.consumer());
    consumer.subscribe(List.of(source), new HopAssignments(counts));
  }

  private void copy(ConsumerRecords<byte[], byte[]> records) {
    if (records.isEmpty()) {
      return;
    }
    try {
      producer.beginTransaction();
      for (ConsumerRecord<byte[], byte[]> each : records) {
        producer.send(new ProducerRecord<>(target, each.partition(), each.key(), each.value()));
      }
      if (pause.requested()) {
        producer.flush();
        pause.await();
      }
      producer.sendOffsetsToTransaction(records.nextOffsets(), consumer.groupMetadata());
      producer.commitTransaction();
    } catch (TimeoutException
        | ProducerFencedException
        | OutOfOrderSequenceException
        | AuthorizationException
        | UnsupportedVersionException e) {
      throw e;
    } catch (KafkaException e) {
      producer.abortTransaction();
      rewind();
      counts.addAborted(ClientErrors.errorClass(e));
      stopped |= replaced;
      return;
    }
    counts.addCommitted(records.count());
    if (replaced) {
      stopped = true;
      counts.addZombieCommit();
    }
  }

  /** What the aborted transaction had read is read again. */
  private void rewind() {
    consumer
        .committed(consumer.assignment())
        .forEach(
            (partition, offset) -> {
              if (offset == null) {
                consumer.seekToBeginning(List.of(partition));
              } else {
                consumer.seek(partition, offset);
              }
            });
  }

  private void close() {
    try {
      if (producer != null) {
        producer.close(Duration.ZERO);
      }
      if (consumer != null) {
        consumer.close(CloseOptions.timeout(CLOSE));
      }
    } catch (KafkaException e) {
      counts.addReset(ClientErrors.errorClass(e));
    } finally {
      producer = null;
      consumer = null;
    }
  }
}
