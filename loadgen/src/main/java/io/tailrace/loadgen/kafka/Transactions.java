// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.TransactionSpan;
import io.tailrace.loadgen.record.TransactionSpan.Times;
import io.tailrace.loadgen.workload.Produce.TransactionSpec;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Producer;
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
 * <p>A transaction is committed or aborted if the client returned from that call, so the broker
 * confirmed it. Otherwise it is in doubt: the producer then begins no other one, and the row is
 * written when the client is closed, because acknowledgements may still arrive until then.
 */
final class Transactions {
  private final Takeovers takeovers;
  private final TransactionSpec spec;
  private final SplittableRandom random;
  private final TransactionOutcomes outcomes;
  private final NanoClock clock;
  private Producer<byte[], byte[]> client;
  private BooleanSupplier givenUp;
  private boolean takenOver;
  private long number;
  private boolean begun;
  private long firstSequence;
  private int messages;
  private long beginMicros;
  private long begunMicros;
  private long endRequestMicros;
  private Doubt doubt;

  /** Why the outcome is not known, and since when. */
  private record Doubt(String errorClass, String reason, long micros) {}

  Transactions(
      Producer<byte[], byte[]> client,
      Takeovers takeovers,
      TransactionSpec spec,
      SplittableRandom random,
      TransactionOutcomes outcomes,
      NanoClock clock) {
    this.client = client;
    this.takeovers = takeovers;
    this.spec = spec;
    this.random = random;
    this.outcomes = outcomes;
    this.clock = clock;
  }

  void start(BooleanSupplier noLongerAwaited) {
    givenUp = noLongerAwaited;
    client.initTransactions();
  }

  /** The message with this sequence number is sent next. */
  void beforeSend(long sequence) {
    if (!begun) {
      beginMicros = clock.epochMicros();
      client.beginTransaction();
      begunMicros = clock.epochMicros();
      outcomes.begun(beginMicros);
      begun = true;
      endRequestMicros = 0;
      firstSequence = sequence;
      messages = 0;
      takenOver = spec.zombieRatio() > 0 && random.nextDouble() < spec.zombieRatio();
      takenOver &= !takeovers.pending();
    }
    messages++;
    if (takenOver && messages == spec.messages()) {
      // What was written is in the log before the newer producer begins; one message comes later.
      client.flush();
      takeovers.begin(givenUp);
    }
  }

  /** The producer that sends the next message. */
  Producer<byte[], byte[]> client() {
    return client;
  }

  void afterSend() {
    if (messages == spec.messages() && takenOver) {
      client.flush();
      long now = clock.epochMicros();
      takeovers.leave(client, new Takeovers.Left(span(now), outcomes.acked()));
      client = takeovers.newer();
      ended();
    } else if (messages == spec.messages()) {
      end(spec.abortRatio() > 0 && random.nextDouble() < spec.abortRatio());
    }
  }

  void finish() {
    if (begun && doubt == null) {
      end(false);
    }
    takeovers.settle(outcomes, givenUp, clock);
  }

  /** Ends every producer that took over, at once or within a time. */
  void close(Duration within) {
    takeovers.close(within);
  }

  /**
   * The client is closed, so every message has its outcome: a transaction still open is in doubt.
   */
  void closed() {
    takeovers.closed(outcomes);
    if (!begun) {
      return;
    }
    Doubt why =
        doubt != null
            ? doubt
            : new Doubt("", "the producer ended before the transaction", clock.epochMicros());
    outcomes.inDoubt(span(why.micros()), why.errorClass(), why.reason());
    begun = false;
  }

  private void end(boolean onPurpose) {
    endRequestMicros = clock.epochMicros();
    try {
      if (onPurpose) {
        // What the client has not sent yet would fail instead of being aborted.
        client.flush();
        abort("", "on purpose");
      } else {
        commit();
      }
    } catch (RuntimeException e) {
      if (doubt == null) {
        inDoubt(e);
      }
      // The caller gives up after a timeout; any other error ends the producer.
      if (!(e instanceof TimeoutException)) {
        throw e;
      }
    }
  }

  private void commit() {
    try {
      untilGivenUp(client::commitTransaction);
    } catch (TimeoutException
        | ProducerFencedException
        | OutOfOrderSequenceException
        | AuthorizationException
        | UnsupportedVersionException e) {
      throw e;
    } catch (KafkaException e) {
      String errorClass = ClientErrors.errorClass(e);
      abort(errorClass, errorClass);
      return;
    }
    outcomes.committed(span(clock.epochMicros()));
    ended();
    takeovers.settle(outcomes, givenUp, clock);
  }

  private void abort(String errorClass, String reason) {
    untilGivenUp(client::abortTransaction);
    outcomes.aborted(span(clock.epochMicros()), errorClass, reason);
    ended();
  }

  /** After a call that timed out, the client only allows the same call again. */
  private void untilGivenUp(Runnable call) {
    while (true) {
      try {
        call.run();
        return;
      } catch (TimeoutException e) {
        if (givenUp.getAsBoolean()) {
          throw e;
        }
      }
    }
  }

  private void inDoubt(RuntimeException e) {
    doubt = new Doubt(ClientErrors.errorClass(e), ClientErrors.reason(e), clock.epochMicros());
  }

  private void ended() {
    begun = false;
    number++;
  }

  private TransactionSpan span(long endMicros) {
    long requested = endRequestMicros == 0 ? endMicros : endRequestMicros;
    Times times = new Times(beginMicros, begunMicros, requested, endMicros);
    return new TransactionSpan(number, firstSequence, messages, times);
  }

  TransactionOutcomes outcomes() {
    return outcomes;
  }
}
