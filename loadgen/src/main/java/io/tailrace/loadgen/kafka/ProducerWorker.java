// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.Arrivals;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.Pacer;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.plan.Plan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * One producer with its own thread and client, so a send() that blocks delays no other producer.
 * Sends every message at its intended send, overdue ones too, in order. Made by {@link
 * ProducerFactory}.
 *
 * <p>Life: {@link #start()} (connects), {@link #probe} (any number of times), {@link #begin}
 * (sends), {@link #ended()}. {@link #stop()} and {@link #abort()} shorten it.
 */
public final class ProducerWorker {
  private static final int STACK_BYTES = 256 * 1024;
  private static final long IDLE_NANOS = 1_000_000_000L;
  private static final long NONE_INTENDED = Long.MAX_VALUE;
  private static final List<Integer> END_OF_PROBES = List.of();

  private final String name;
  private final int producer;
  private final String topic;
  private final NanoClock clock;
  private final Pacer pacer;
  private final FailureListener failures;
  private final Producer<byte[], byte[]> client;
  private final Duration closeTimeout;
  private final Messages messages;
  private final MessageSender sender;
  private final BlockingQueue<List<Integer>> probes = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile Arrivals arrivals;
  private volatile long intendedNanoTime = NONE_INTENDED;
  private volatile long giveUpNanoTime = Long.MAX_VALUE;
  private volatile boolean connected;
  private volatile boolean ended;
  private volatile UnsentMessages unsent = UnsentMessages.NONE;

  ProducerWorker(
      Plan.ProducerPlan self,
      Producer<byte[], byte[]> client,
      Duration closeTimeout,
      Messages messages,
      MessageSender sender,
      ClientContext context) {
    this.producer = self.producer();
    this.name = "producer " + producer;
    this.topic = self.topic();
    this.client = client;
    this.closeTimeout = closeTimeout;
    this.messages = messages;
    this.sender = sender;
    this.pacer = new Pacer(context.clock());
    this.clock = context.clock();
    this.failures = context.failures();
    this.thread = new Thread(null, this::run, name.replace(' ', '-'), STACK_BYTES);
    thread.setDaemon(true);
  }

  /** Starts the thread, which fetches the topic's metadata so that no message pays for it. */
  public void start() {
    thread.start();
  }

  public boolean connected() {
    return connected;
  }

  /** Sends an unscheduled message to each of the partitions. Only before {@link #begin}. */
  public void probe(List<Integer> partitions) {
    if (!partitions.isEmpty()) {
      probes.add(partitions);
    }
  }

  /** Sends the messages of a schedule from now on. */
  public void begin(Arrivals planned) {
    arrivals = planned;
    probes.add(END_OF_PROBES);
  }

  /** Reads the schedule again after a change. */
  public void wake() {
    pacer.wake();
  }

  /** Sends nothing after a reading of the clock; what is overdue then stays unsent. */
  public void giveUpAt(long nanoTime) {
    giveUpNanoTime = nanoTime;
  }

  /** Sends nothing more; what was sent may be acknowledged. Only for the thread that starts it. */
  public void stop() {
    pacer.stop();
    probes.add(END_OF_PROBES);
    if (thread.getState() == Thread.State.NEW && !ended) {
      close();
    }
  }

  /** Fails at once every message that is not acknowledged yet. Implies {@link #stop()}. */
  public void abort() {
    stop();
    client.close(Duration.ZERO);
    sender.close(Duration.ZERO);
  }

  /** Whether all is sent, every message has its outcome and the client is closed. */
  public boolean ended() {
    return ended;
  }

  public String topic() {
    return topic;
  }

  /** Calls of send(), counted before the call. */
  public EventCounter sent() {
    return sender.sent();
  }

  /** Messages that the broker acknowledged; with {@code acks=0} those handed to the socket. */
  public EventCounter acked() {
    return sender.outcomes().acked();
  }

  public EventCounter failed() {
    return sender.outcomes().failed();
  }

  /** Acknowledged messages in aborted transactions. */
  public EventCount aborted() {
    return count(TransactionOutcomes::aborted);
  }

  /** Acknowledged messages in transactions in doubt. */
  public EventCount inDoubt() {
    return count(TransactionOutcomes::inDoubt);
  }

  /** Transactions that it began. */
  public EventCount begun() {
    return count(TransactionOutcomes::begun);
  }

  /** Of those, transactions whose outcome is recorded. */
  public EventCount endedTransactions() {
    return count(TransactionOutcomes::ended);
  }

  private EventCount count(Function<TransactionOutcomes, EventCounter> counter) {
    return sender.transactions().map(counter).map(EventCount::of).orElse(EventCount.NONE);
  }

  /** What is acknowledged, per partition; with {@code acks=0} 1 where something was sent. */
  public HighestOffsets ackedOffsets() {
    return sender.outcomes().ackedOffsets();
  }

  /** Overdue messages that were never sent: the producer was still behind when it had to stop. */
  public UnsentMessages unsent() {
    return unsent;
  }

  /** How long the message that it sends next, or is sending, is overdue; ns, 0 for not yet. */
  public long behindNanos() {
    long intended = intendedNanoTime;
    return intended == NONE_INTENDED ? 0 : Math.max(0, clock.nanoTime() - intended);
  }

  /** Whether the run no longer waits for this producer. */
  boolean givenUp() {
    return pacer.stopped() || clock.nanoTime() > giveUpNanoTime;
  }

  /** Whether it has sent its share of the current volume-limited segment. */
  public boolean volumeSent() {
    Arrivals own = arrivals;
    return ended || (own != null && own.volumeSent());
  }

  private void run() {
    try {
      client.partitionsFor(topic);
      sender.start(this::givenUp);
      connected = true;
      for (List<Integer> to = probes.take(); to != END_OF_PROBES; to = probes.take()) {
        sendProbes(to);
      }
      if (arrivals != null) {
        sender.setSameBody(messages.sameBody());
        sendAll(arrivals);
      }
      sender.finish();
    } catch (InterruptedException | RuntimeException | Error e) {
      if (!pacer.stopped()) {
        failures.failed(name, e);
      }
    } finally {
      intendedNanoTime = NONE_INTENDED;
      close();
    }
  }

  /**
   * Probes carry a header and, among messages with keys, an empty key. They take nothing from the
   * sequence of payloads.
   */
  private void sendProbes(List<Integer> partitions) {
    byte[] key = messages.keyed() ? new byte[0] : null;
    for (int partition : partitions) {
      long now = clock.nanoTime();
      byte[] value = new byte[PayloadHeader.BYTES];
      sender.send(new ProducerRecord<>(topic, partition, key, value), now, now);
    }
    sender.finish();
  }

  private void sendAll(Arrivals own) {
    for (long intended = own.nextIntended();
        intended != Arrivals.NEVER;
        intended = own.nextIntended()) {
      if (intended == Arrivals.LATER) {
        intendedNanoTime = NONE_INTENDED;
        pacer.awaitUntil(clock.nanoTime() + IDLE_NANOS);
      } else {
        intendedNanoTime = intended;
        long now = pacer.awaitUntil(intended);
        if (now > giveUpNanoTime) {
          unsent = UnsentMessages.of(own.unsent(), sender.outcomes().lastFailure(), clock);
          return;
        }
        // Woken early, it reads again when the next message is intended.
        if (now - intended >= 0 && !pacer.stopped()) {
          // Without a schedule, the intended send is the actual send.
          sender.send(messages.next(), own.scheduled() ? intended : now, now);
          own.sent();
        }
      }
      if (pacer.stopped()) {
        return;
      }
    }
  }

  private void closeClient() {
    try {
      sender.close(closeTimeout);
      client.close(closeTimeout);
    } finally {
      sender.closed();
    }
  }

  private void close() {
    try {
      closeClient();
      long open = sent().count() - acked().count() - failed().count();
      if (open != 0) {
        throw new IllegalStateException(open + " messages sent have no outcome");
      }
    } catch (RuntimeException | Error e) {
      failures.failed(name, e);
    } finally {
      ended = true;
    }
  }
}
