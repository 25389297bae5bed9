// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.kafka.Receiver.Strangers;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec.Groups;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** Makes the consumers of a plan. */
public final class ConsumerFactory {
  private final Plan plan;
  private final ConsumeSpec consume;
  private final ClientContext context;
  private final int run;
  private final Map<String, Plan.TopicPlan> topics;

  public ConsumerFactory(
      Plan plan, NanoClock clock, Recorders recorders, FailureListener failures) {
    this.plan = plan;
    this.consume = plan.behaviour().consume();
    this.context = new ClientContext(clock, recorders, failures);
    this.run = PayloadHeader.runOf(plan.runId());
    this.topics =
        plan.topics().stream().collect(Collectors.toMap(Plan.TopicPlan::name, topic -> topic));
  }

  /** Makes a consumer with its client; it joins its group when it is started. */
  public ConsumerWorker make(Plan.ConsumerPlan self, int partitions) {
    return new ConsumerWorker(
        self,
        identify(self, new HashMap<>(plan.config().consumer())),
        source(self, partitions),
        worker -> handlers(self, worker),
        context);
  }

  /** Sets the client id, and the rack if there is one, in {@code config}; returns the id. */
  private String identify(Plan.ConsumerPlan self, Map<String, Object> config) {
    return ClientIdentity.set(config, ConsumerWorker.clientPrefix(plan.runId()) + self.consumer());
  }

  private MessageSource source(Plan.ConsumerPlan self, int partitions) {
    boolean share = consume.groups() == Groups.SHARE;
    Map<String, Object> config =
        new HashMap<>(
            share ? ShareGroupConfig.ofClient(plan.config().consumer()) : plan.config().consumer());
    config.put(ConsumerConfig.GROUP_ID_CONFIG, self.groupId());
    identify(self, config);
    boolean inTransactions =
        plan.behaviour().transactions().isPresent()
            || topics.get(self.topic()).copyOf().isPresent();
    if (inTransactions && !share) {
      config.putIfAbsent(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    }
    return share
        ? new ShareGroupSource(config, self.topic(), releases(self))
        : new PartitionSource(config, self.consumer(), self.topic(), partitions, context);
  }

  private Optional<ShareReleases> releases(Plan.ConsumerPlan self) {
    return consume.releaseRatio() > 0
        ? Optional.of(new ShareReleases(consume.releaseRatio(), plan.seed(), self, context))
        : Optional.empty();
  }

  private Handlers handlers(Plan.ConsumerPlan self, ConsumerWorker worker) {
    ThreadedHandlers.Maker maker =
        (number, queue, open) ->
            new HandlerThread(
                "handler " + self.consumer() + "." + number,
                queue,
                open,
                receiver(self),
                processing(self, number, worker),
                context.failures());
    return switch (consume.threads()) {
      case ONE -> new InlineHandler(receiver(self), processing(self, 0, worker));
      case PER_PARTITION -> ThreadedHandlers.perPartition(maker);
      case POOL -> ThreadedHandlers.pool(consume.threadCount(), maker);
    };
  }

  private Receiver receiver(Plan.ConsumerPlan self) {
    String clientId = identify(self, new HashMap<>(plan.config().consumer()));
    return new Receiver(
        run,
        plan.behaviour().transactions().isPresent(),
        strangers(self.topic()),
        context.recorders().deliveries(self.subscription(), self.consumer(), self.topic()),
        new MessageInspector(clientId, self.groupId(), context.clock(), context.recorders()));
  }

  private Strangers strangers(String name) {
    Plan.TopicPlan topic = topics.get(name);
    if (!topic.owned()) {
      return Strangers.ALL;
    }
    return topic.existing() ? Strangers.OTHER_PROGRAMS : Strangers.NONE;
  }

  private Processing processing(Plan.ConsumerPlan self, int number, ConsumerWorker worker) {
    LongSupplier nanos = consume.processing().map(work -> nanos(work, self, number)).orElse(null);
    return new Processing(nanos, worker::stopped);
  }

  private LongSupplier nanos(ConsumeSpec.Processing work, Plan.ConsumerPlan self, int number) {
    long mean = work.mean().toNanos();
    if (!work.exponential()) {
      return () -> mean;
    }
    SplittableRandom chance =
        new SplittableRandom(plan.seed() ^ ((long) self.consumer() << 32 | number));
    return () -> Math.round(-Math.log1p(-chance.nextDouble()) * mean);
  }
}
