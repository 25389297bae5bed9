// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.workload.Produce.TransactionSpec;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * Wraps the messages of one producer in transactions: a fixed number in each, some of them aborted
 * on purpose. Only the sending thread calls it.
 *
 * <p>Every transaction that did not commit is an event of kind {@code transaction}, with the
 * offsets of the messages in it that the broker had acknowledged: {@code aborted}, or {@code
 * in_doubt} when the broker did not answer.
 */
final class Transactions {
  private final KafkaProducer<?, ?> client;
  private final int producer;
  private final String topic;
  private final TransactionSpec spec;
  private final SplittableRandom random;
  private final OpenTransaction open;
  private final NanoClock clock;
  private final EventRecorder events;
  private final EventCounter aborted = new EventCounter();
  private BooleanSupplier givenUp;
  private int sent;
  private boolean begun;

  Transactions(
      KafkaProducer<?, ?> client,
      Plan.ProducerPlan self,
      TransactionSpec spec,
      SplittableRandom random,
      OpenTransaction open,
      ClientContext context) {
    this.client = client;
    this.producer = self.producer();
    this.topic = self.topic();
    this.spec = spec;
    this.random = random;
    this.open = open;
    this.clock = context.clock();
    this.events = context.events();
  }

  void start(BooleanSupplier noLongerAwaited) {
    givenUp = noLongerAwaited;
    client.initTransactions();
  }

  void beforeSend() {
    if (!begun) {
      open.clear();
      client.beginTransaction();
      begun = true;
    }
  }

  void afterSend() {
    if (++sent == spec.messages()) {
      end(spec.abortRatio() > 0 && random.nextDouble() < spec.abortRatio());
    }
  }

  void finish() {
    if (begun) {
      end(false);
    }
  }

  private void end(boolean onPurpose) {
    sent = 0;
    begun = false;
    if (onPurpose) {
      // What the client has not sent yet would fail instead of being aborted.
      client.flush();
      abort("on purpose");
      return;
    }
    try {
      commit();
    } catch (TimeoutException e) {
      notCommitted("in_doubt", ClientErrors.reason(e));
    } catch (ProducerFencedException
        | OutOfOrderSequenceException
        | AuthorizationException
        | UnsupportedVersionException e) {
      notCommitted("in_doubt", ClientErrors.reason(e));
      throw e;
    } catch (KafkaException e) {
      abort(e.getClass().getSimpleName());
    }
  }

  /** After a commit that timed out, the client only allows the same commit again. */
  private void commit() {
    while (true) {
      try {
        client.commitTransaction();
        return;
      } catch (TimeoutException e) {
        if (givenUp.getAsBoolean()) {
          throw e;
        }
      }
    }
  }

  private void abort(String reason) {
    client.abortTransaction();
    notCommitted("aborted", reason);
  }

  private void notCommitted(String name, String reason) {
    long now = clock.epochMicros();
    if (open.messages() > 0) {
      aborted.add(open.messages(), now);
    }
    events.event(
        now,
        EventKinds.TRANSACTION,
        name,
        String.format(
            Locale.ROOT,
            "{\"producer\":%d,\"topic\":\"%s\",\"reason\":\"%s\",\"messages\":%d,\"offsets\":%s}",
            producer,
            topic,
            reason.replace('"', '\''),
            open.messages(),
            open.ranges()));
  }

  EventCounter aborted() {
    return aborted;
  }
}
