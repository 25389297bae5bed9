// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.workload.Produce.TransactionSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes the producers of a plan. */
public final class ProducerFactory {
  private static final Duration CLOSE_MARGIN = Duration.ofSeconds(5);

  private final Plan plan;
  private final ClientContext context;

  public ProducerFactory(
      Plan plan, NanoClock clock, Recorders recorders, FailureListener failures) {
    this.plan = plan;
    this.context = new ClientContext(clock, recorders, failures);
  }

  /** Makes a producer with its client; nothing is sent yet. */
  public ProducerWorker make(Plan.ProducerPlan self, int partitions) {
    Optional<TransactionSpec> spec = plan.behaviour().transactions();
    Map<String, Object> config = new HashMap<>(plan.config().producer());
    String own = plan.runId() + "-producer-" + self.producer();
    String clientId = ClientIdentity.set(config, own);
    spec.ifPresent(each -> config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, own));
    ByteArraySerializer serializer = new ByteArraySerializer();
    Supplier<Producer<byte[], byte[]>> maker =
        () -> new KafkaProducer<>(config, serializer, serializer);
    Producer<byte[], byte[]> client;
    try {
      client = maker.get();
    } catch (KafkaException e) {
      throw ClientErrors.refused("producerConfig", e);
    }
    OpenTransaction open = spec.isPresent() ? new OpenTransaction(partitions) : null;
    SplittableRandom random = new SplittableRandom(plan.seed() ^ (long) self.producer() << 20);
    MessageSender sender =
        new MessageSender(
            PayloadHeader.Origin.of(plan.runId(), self.producer()),
            client,
            new TraceSampler(
                plan.runId(),
                self.producer(),
                clientId,
                context.recorders().spans(),
                context.clock()),
            new PublishOutcomes(self, partitions, open, context),
            spec.map(
                each ->
                    new Transactions(
                        client,
                        new Takeovers(maker),
                        each,
                        random,
                        new TransactionOutcomes(self, open, context),
                        context.clock())),
            context.clock());
    return new ProducerWorker(
        self,
        client,
        ProducerTimeouts.of(plan.config().producer()).delivery().plus(CLOSE_MARGIN),
        new PlannedMessages(plan, self),
        sender,
        context);
  }
}
