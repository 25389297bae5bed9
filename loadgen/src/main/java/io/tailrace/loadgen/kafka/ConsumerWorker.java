// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.DeliveryRecorder;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.Recorders;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/**
 * One consumer with a thread and a client of its own. Counts and records every message poll()
 * returns.
 */
public final class ConsumerWorker {
  private static final int STACK_BYTES = 512 * 1024;
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final String name;
  private final String clientId;
  private final Plan.ConsumerPlan self;
  private final NanoClock clock;
  private final DeathListener deaths;
  private final EventRecorder events;
  private final DeliveryRecorder deliveries;
  private final KafkaConsumer<ByteBuffer, ByteBuffer> client;
  private final Assignment assignment;
  private final OffsetCommits commits;
  private final EventCounter received = new EventCounter();
  private final EventCounter foreign = new EventCounter();
  private final Inspector inspector;
  private final OffsetMarks marks;
  private final Thread thread;
  private volatile boolean stopped;
  private volatile boolean ended;

  /**
   * Makes the client; it joins its group only at {@link #start()}.
   *
   * @param plan the run
   * @param self which of its consumers this is
   * @param partitions partitions of its topic
   * @throws UnusableClusterException when the client refuses its configuration
   */
  public ConsumerWorker(
      Plan plan,
      Plan.ConsumerPlan self,
      int partitions,
      NanoClock clock,
      Recorders recorders,
      DeathListener deaths) {
    this.self = self;
    this.name = "consumer " + self.consumer();
    this.clock = clock;
    this.deaths = deaths;
    this.events = recorders.events();
    this.deliveries = recorders.deliveries(self.subscription(), self.consumer(), self.topic());
    this.marks = new OffsetMarks(partitions);
    Map<String, Object> config = new HashMap<>(plan.consumerConfig());
    config.put(ConsumerConfig.GROUP_ID_CONFIG, self.groupId());
    this.clientId = clientPrefix(plan.runId()) + self.consumer();
    config.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
    try {
      this.client =
          new KafkaConsumer<>(config, new ByteBufferDeserializer(), new ByteBufferDeserializer());
    } catch (KafkaException e) {
      throw ClientErrors.refused("consumerConfig", e);
    }
    this.inspector = new Inspector(clientId, self.groupId(), clock, recorders);
    this.assignment = new Assignment(client, self, clock, events);
    this.commits = new OffsetCommits(client, plan.consumerConfig(), self, clock, events);
    this.thread = new Thread(null, this::run, name.replace(' ', '-'), STACK_BYTES);
    thread.setDaemon(true);
  }

  /** Starts the thread, which joins the group. */
  public void start() {
    thread.start();
  }

  /**
   * Leaves the group; returns at once. By the thread that called {@link #start()} or would have.
   */
  public void stop() {
    stopped = true;
    if (thread.getState() == Thread.State.NEW && !ended) {
      close();
    }
  }

  /** Whether the client is closed. */
  public boolean ended() {
    return ended || !thread.isAlive();
  }

  /** What the client ids of a run's consumers begin with; the consumer's number follows. */
  public static String clientPrefix(String runId) {
    return runId + "-consumer-";
  }

  /** How the brokers call this consumer. */
  public String clientId() {
    return clientId;
  }

  /** Topic it reads. */
  public String topic() {
    return self.topic();
  }

  /**
   * Partitions it is assigned and knows its position in, so that nothing sent from now on can pass
   * it by.
   */
  public Set<Integer> readyPartitions() {
    return assignment.ready();
  }

  /** Messages of this run's producers that poll() returned. */
  public EventCounter received() {
    return received;
  }

  /** Messages without this program's header: another program writes to the topic. */
  public EventCounter foreign() {
    return foreign;
  }

  /** Messages of this run that are not, byte for byte, what was sent. */
  public EventCounter corrupt() {
    return inspector.corrupt();
  }

  /** What was received, per partition. */
  public OffsetMarks receivedMarks() {
    return marks;
  }

  private void run() {
    try {
      client.subscribe(List.of(self.topic()), assignment);
      while (!stopped) {
        pollOnce();
      }
      commits.last();
    } catch (RuntimeException | Error e) {
      deaths.died(name, e);
    } finally {
      close();
    }
  }

  private void pollOnce() {
    try {
      ConsumerRecords<ByteBuffer, ByteBuffer> records = client.poll(POLL);
      if (!records.isEmpty()) {
        long receiveMicros = clock.epochMicros();
        for (ConsumerRecord<ByteBuffer, ByteBuffer> record : records) {
          receive(record, receiveMicros);
        }
      }
      assignment.resolvePositions();
      commits.maybe();
    } catch (RetriableException e) {
      events.event(
          clock.epochMicros(), "error", "poll", name + ": " + e.getClass().getSimpleName());
    }
  }

  private void receive(ConsumerRecord<ByteBuffer, ByteBuffer> record, long receiveMicros) {
    ByteBuffer value = record.value();
    if (!PayloadHeader.isPresent(value)) {
      foreign.add(receiveMicros);
      return;
    }
    received.add(receiveMicros);
    inspector.check(record, receiveMicros);
    marks.advance(record.partition(), record.offset());
    deliveries.received(
        PayloadHeader.producer(value),
        record.partition(),
        record.offset(),
        PayloadHeader.intendedMicros(value),
        receiveMicros,
        value.remaining());
    inspector.done(record, receiveMicros);
  }

  private void close() {
    try {
      client.close(CloseOptions.timeout(CLOSE));
    } catch (RuntimeException | Error e) {
      // Everything received is recorded by now; a group that could not be left in order is worth a
      // note, no more.
      events.event(
          clock.epochMicros(), "error", "consumer_close", name + ": " + ClientErrors.reason(e));
    } finally {
      ended = true;
    }
  }
}
