// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.Pacer;
import io.tailrace.loadgen.pace.Schedule;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.payload.TraceContext;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.SpanRecorder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * One producer with a thread and a client of its own, so a send() that blocks delays nobody else.
 * Sends every message of its schedule, late ones too, in order.
 *
 * <p>Life: constructor, {@link #start()} (connects), {@link #begin} (sends), {@link #ended()}.
 * {@link #stop()} and {@link #abort()} shorten it.
 */
public final class ProducerWorker {
  private static final int STACK_BYTES = 256 * 1024;
  private static final Duration CLOSE_MARGIN = Duration.ofSeconds(5);

  private final String name;
  private final int producer;
  private final String topic;
  private final Schedule schedule;
  private final NanoClock clock;
  private final Pacer pacer;
  private final DeathListener deaths;
  private final KafkaProducer<byte[], byte[]> client;
  private final Duration closeTimeout;
  private final String runId;
  private final String clientId;
  private final SpanRecorder spans;
  private final byte[] value;
  private final int bodyChecksum;
  private final ProducerRecord<byte[], byte[]> record;
  private final PublishOutcomes outcomes;
  private final EventCounter sent = new EventCounter();
  private final CountDownLatch begin = new CountDownLatch(1);
  private final Thread thread;
  private long startNanoTime;
  private long giveUpNanoTime;
  private volatile boolean connected;
  private volatile boolean ended;
  private volatile long unsent;

  /**
   * Makes the client; nothing is sent yet.
   *
   * @param plan the run
   * @param self which of its producers this is
   * @param partitions partitions of its topic
   * @throws UnusableClusterException when the client refuses its configuration
   */
  public ProducerWorker(
      Plan plan,
      Plan.ProducerPlan self,
      int partitions,
      Schedule schedule,
      NanoClock clock,
      Recorders recorders,
      DeathListener deaths) {
    this.producer = self.producer();
    this.name = "producer " + producer;
    this.topic = self.topic();
    this.schedule = schedule;
    this.clock = clock;
    this.deaths = deaths;
    this.pacer = new Pacer(clock);
    this.runId = plan.runId();
    this.spans = recorders.spans();
    this.value = plan.payload().template().clone();
    this.bodyChecksum = PayloadHeader.bodyChecksum(value);
    this.record = new ProducerRecord<>(topic, value);
    this.outcomes =
        new PublishOutcomes(
            producer,
            topic,
            partitions,
            value.length,
            clock,
            recorders.publishes(producer, topic),
            recorders.failures(),
            deaths);
    Map<String, Object> config = new HashMap<>(plan.producerConfig());
    this.clientId = plan.runId() + "-producer-" + producer;
    config.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
    ByteArraySerializer serializer = new ByteArraySerializer();
    try {
      this.client = new KafkaProducer<>(config, serializer, serializer);
    } catch (KafkaException e) {
      throw ClientErrors.refused("producerConfig", e);
    }
    this.closeTimeout = ProducerTimeouts.of(plan.producerConfig()).delivery().plus(CLOSE_MARGIN);
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
   * Lets the schedule begin.
   *
   * @param startNanoTime reading of the clock at which the first phase starts
   * @param giveUpNanoTime reading of the clock after which messages still due are left unsent
   */
  public void begin(long startNanoTime, long giveUpNanoTime) {
    this.startNanoTime = startNanoTime;
    this.giveUpNanoTime = giveUpNanoTime;
    begin.countDown();
  }

  /**
   * Sends nothing more; what was sent may still be acknowledged. By the thread that starts the
   * worker.
   */
  public void stop() {
    pacer.stop();
    begin.countDown();
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

  /** Messages the broker acknowledged. */
  public EventCounter acked() {
    return outcomes.acked();
  }

  /** Messages given up. */
  public EventCounter failed() {
    return outcomes.failed();
  }

  /** What the broker acknowledged, per partition. */
  public OffsetMarks ackedMarks() {
    return outcomes.marks();
  }

  /**
   * Messages that were due but never sent, because the producer was still behind when it had to
   * give up.
   */
  public long unsent() {
    return unsent;
  }

  private void run() {
    try {
      client.partitionsFor(topic);
      connected = true;
      begin.await();
      sendAll();
    } catch (InterruptedException | RuntimeException | Error e) {
      if (!pacer.stopped()) {
        deaths.died(name, e);
      }
    } finally {
      close();
    }
  }

  private void sendAll() {
    long count = schedule.count();
    for (long message = 0; message < count; message++) {
      long dueNanoTime = startNanoTime + schedule.dueNanos(message);
      long now = pacer.awaitDue(dueNanoTime);
      if (pacer.stopped()) {
        return;
      }
      if (now - giveUpNanoTime > 0) {
        unsent = count - message;
        return;
      }
      long intendedMicros = clock.epochMicros(dueNanoTime);
      long sendMicros = clock.epochMicros(now);
      PayloadHeader.write(value, bodyChecksum, producer, message, intendedMicros);
      sent.add(sendMicros);
      PublishCallback outcome =
          new PublishCallback(outcomes, intendedMicros, sendMicros - intendedMicros);
      if (spans.sampled(message)) {
        sendSampled(message, outcome, intendedMicros, sendMicros);
      } else {
        send(record, outcome, outcome);
      }
    }
  }

  /** With a trace context in a header; a message that is not sampled carries nothing. */
  private void sendSampled(
      long message, PublishCallback outcome, long intendedMicros, long sendMicros) {
    TraceContext context = TraceContext.of(runId, producer, message);
    ProducerRecord<byte[], byte[]> sampled = new ProducerRecord<>(topic, value);
    sampled.headers().add(TraceContext.HEADER, context.header());
    SampledCallback callback =
        new SampledCallback(
            outcome,
            spans,
            clock,
            context,
            clientId,
            topic,
            value.length,
            intendedMicros,
            sendMicros);
    send(sampled, callback, outcome);
  }

  private void send(
      ProducerRecord<byte[], byte[]> message, Callback callback, PublishCallback outcome) {
    try {
      // The client copies the value into its batch before send() returns, so the array can be used
      // again.
      client.send(message, callback);
    } catch (RuntimeException e) {
      outcome.thrown(e);
    } catch (Error e) {
      outcome.thrown(e);
      throw e;
    }
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
