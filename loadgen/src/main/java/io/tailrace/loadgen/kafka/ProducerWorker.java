// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.Arrivals;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.Pacer;
import io.tailrace.loadgen.payload.PayloadHeader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * One producer with a thread and a client of its own, so a send() that blocks delays nobody else.
 * Sends every message as it falls due, late ones too, in order. Made by {@link ProducerMaker}.
 *
 * <p>Life: {@link #start()} (connects), {@link #probe} (as often as wanted), {@link #begin}
 * (sends), {@link #ended()}. {@link #stop()} and {@link #abort()} shorten it.
 */
public final class ProducerWorker {
  private static final int STACK_BYTES = 256 * 1024;
  private static final long IDLE_NANOS = 1_000_000_000L;
  private static final long NOTHING_DUE = Long.MAX_VALUE;
  private static final List<Integer> BEGIN = List.of();

  private final String name;
  private final int producer;
  private final String topic;
  private final NanoClock clock;
  private final Pacer pacer;
  private final DeathListener deaths;
  private final Producer<byte[], byte[]> client;
  private final Duration closeTimeout;
  private final Messages messages;
  private final Sampler sampler;
  private final PublishOutcomes outcomes;
  private final Optional<Transactions> transactions;
  private final EventCounter sent = new EventCounter();
  private final BlockingQueue<List<Integer>> orders = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile Arrivals arrivals;
  private volatile long wakeNanoTime = NOTHING_DUE;
  private volatile long giveUpNanoTime = Long.MAX_VALUE;
  private volatile boolean connected;
  private volatile boolean ended;
  private volatile Unsent unsent = Unsent.NONE;
  private int bodyChecksum;
  private boolean bodyKnown;

  ProducerWorker(
      int producer,
      String topic,
      Producer<byte[], byte[]> client,
      Duration closeTimeout,
      Messages messages,
      Sampler sampler,
      PublishOutcomes outcomes,
      Optional<Transactions> transactions,
      Pacer pacer,
      NanoClock clock,
      DeathListener deaths) {
    this.name = "producer " + producer;
    this.producer = producer;
    this.topic = topic;
    this.client = client;
    this.closeTimeout = closeTimeout;
    this.messages = messages;
    this.sampler = sampler;
    this.outcomes = outcomes;
    this.transactions = transactions;
    this.pacer = pacer;
    this.clock = clock;
    this.deaths = deaths;
    this.thread = new Thread(null, this::run, name.replace(' ', '-'), STACK_BYTES);
    thread.setDaemon(true);
  }

  /** Starts the thread, which fetches the topic's metadata so that no message pays for it. */
  public void start() {
    thread.start();
  }

  /** Whether the metadata is there. */
  public boolean connected() {
    return connected;
  }

  /**
   * Sends one message to each of some partitions, at once and beside any schedule; returns before
   * it has. Only before {@link #begin}.
   */
  public void probe(List<Integer> partitions) {
    if (!partitions.isEmpty()) {
      orders.add(partitions);
    }
  }

  /** Follows a course from now on. */
  public void begin(Arrivals course) {
    arrivals = course;
    orders.add(BEGIN);
  }

  /** Looks at the course again: it has changed. */
  public void wake() {
    pacer.wake();
  }

  /** Leaves unsent what it has not sent by then, a reading of the clock. */
  public void giveUpAt(long nanoTime) {
    giveUpNanoTime = nanoTime;
  }

  /**
   * Sends nothing more; what was sent may still be acknowledged. By the thread that starts the
   * worker.
   */
  public void stop() {
    pacer.stop();
    orders.add(BEGIN);
    if (thread.getState() == Thread.State.NEW && !ended) {
      close();
    }
  }

  /** Fails at once every message that is not acknowledged yet. Implies {@link #stop()}. */
  public void abort() {
    stop();
    client.close(Duration.ZERO);
  }

  /** Whether all is sent, every message has its outcome and the client is closed. */
  public boolean ended() {
    return ended;
  }

  /** Topic it writes. */
  public String topic() {
    return topic;
  }

  /** Calls of send(), counted before the call. */
  public EventCounter sent() {
    return sent;
  }

  /** Messages the broker acknowledged; with {@code acks=0} those handed to the socket. */
  public EventCounter acked() {
    return outcomes.acked();
  }

  /** Messages given up. */
  public EventCounter failed() {
    return outcomes.failed();
  }

  /** Acknowledged messages in transactions that did not commit. */
  public Tally aborted() {
    return transactions.map(all -> Tally.of(all.aborted())).orElse(Tally.NONE);
  }

  /**
   * What the broker acknowledged, per partition; with {@code acks=0} 1 in those that something was
   * sent to.
   */
  public OffsetMarks ackedMarks() {
    return outcomes.marks();
  }

  /**
   * Messages that were due but never sent, because the producer was still behind when it had to
   * give up.
   */
  public Unsent unsent() {
    return unsent;
  }

  /** How long the message it has to send next, or is sending, has been due; ns, 0 for not yet. */
  public long behindNanos() {
    long due = wakeNanoTime;
    return due == NOTHING_DUE ? 0 : Math.max(0, clock.nanoTime() - due);
  }

  /** Whether nobody waits any more for what it does. */
  boolean givenUp() {
    return pacer.stopped() || clock.nanoTime() > giveUpNanoTime;
  }

  /** Whether it has sent its part of the bounded stretch that the course is in. */
  public boolean volumeSent() {
    Arrivals own = arrivals;
    return ended || (own != null && own.volumeSent());
  }

  private void run() {
    try {
      client.partitionsFor(topic);
      transactions.ifPresent(Transactions::start);
      connected = true;
      for (List<Integer> order = orders.take(); order != BEGIN; order = orders.take()) {
        sendProbes(order);
      }
      if (arrivals != null) {
        sendAll(arrivals);
      }
      transactions.ifPresent(Transactions::finish);
    } catch (InterruptedException | RuntimeException | Error e) {
      if (!pacer.stopped()) {
        deaths.died(name, e);
      }
    } finally {
      wakeNanoTime = NOTHING_DUE;
      close();
    }
  }

  /** Probes carry a header and nothing else, and take nothing from the sequence of payloads. */
  private void sendProbes(List<Integer> partitions) {
    for (int partition : partitions) {
      long now = clock.nanoTime();
      byte[] value = new byte[PayloadHeader.BYTES];
      send(new ProducerRecord<>(topic, partition, null, value), now, now);
    }
    transactions.ifPresent(Transactions::finish);
  }

  private void sendAll(Arrivals own) {
    for (long due = own.nextIntended(); due != Arrivals.NEVER; due = own.nextIntended()) {
      if (due == Arrivals.LATER) {
        wakeNanoTime = NOTHING_DUE;
        pacer.awaitUntil(clock.nanoTime() + IDLE_NANOS);
      } else {
        wakeNanoTime = due;
        long now = pacer.awaitUntil(due);
        if (now > giveUpNanoTime) {
          unsent = Unsent.of(own.unsent(), outcomes.lastFailure(), clock);
          return;
        }
        // Woken before its time it asks again when the next message is due.
        if (now - due >= 0 && !pacer.stopped()) {
          // Without a schedule, and only then, nothing says when it should have been sent.
          send(messages.next(), own.scheduled() ? due : now, now);
          own.sent();
        }
      }
      if (pacer.stopped()) {
        return;
      }
    }
  }

  private void send(ProducerRecord<byte[], byte[]> record, long due, long now) {
    long intendedMicros = clock.epochMicros(due);
    long sendMicros = clock.epochMicros(now);
    byte[] value = record.value();
    // Nothing else counts up with every message sent, so the count is the sequence.
    long sequence = sent.count();
    if (!bodyKnown) {
      bodyChecksum = PayloadHeader.bodyChecksum(value);
      bodyKnown = arrivals != null && messages.sameBody();
    }
    PayloadHeader.write(value, bodyChecksum, producer, sequence, intendedMicros);
    PublishCallback callback =
        new PublishCallback(outcomes, intendedMicros, sendMicros - intendedMicros, value.length);
    transactions.ifPresent(Transactions::beforeSend);
    sent.add(sendMicros);
    try {
      // The client copies key and value before send() returns, so the arrays can be used again.
      sampler.send(client, record, callback, sequence, intendedMicros, sendMicros);
    } catch (RuntimeException | Error e) {
      callback.thrown(e);
      if (e instanceof Error error) {
        throw error;
      }
    }
    transactions.ifPresent(Transactions::afterSend);
  }

  private void close() {
    try {
      client.close(closeTimeout);
      long open = sent.count() - acked().count() - failed().count();
      if (open != 0) {
        throw new IllegalStateException(open + " messages sent have no outcome");
      }
    } catch (RuntimeException | Error e) {
      deaths.died(name, e);
    } finally {
      ended = true;
    }
  }
}
