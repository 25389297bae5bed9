// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.payload.PayloadHeader;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Sends the messages of one producer: header, transaction, trace context and callback. Only the
 * sending thread calls it, except for counts.
 */
final class MessageSender {
  private final PayloadHeader.Origin origin;
  private final Producer<byte[], byte[]> client;
  private final TraceSampler sampler;
  private final PublishOutcomes outcomes;
  private final Optional<Transactions> transactions;
  private final NanoClock clock;
  private final EventCounter sent = new EventCounter();
  private boolean sameBody;
  private boolean bodyKnown;
  private int bodyChecksum;
  private long intendedBefore;
  private int tie;

  MessageSender(
      PayloadHeader.Origin origin,
      Producer<byte[], byte[]> client,
      TraceSampler sampler,
      PublishOutcomes outcomes,
      Optional<Transactions> transactions,
      NanoClock clock) {
    this.origin = origin;
    this.client = client;
    this.sampler = sampler;
    this.outcomes = outcomes;
    this.transactions = transactions;
    this.clock = clock;
  }

  void start(BooleanSupplier givenUp) {
    transactions.ifPresent(each -> each.start(givenUp));
  }

  /** Whether all messages from now on have the same body: its checksum is then computed once. */
  void setSameBody(boolean same) {
    sameBody = same;
  }

  void send(ProducerRecord<byte[], byte[]> record, long intendedNanoTime, long nanoTime) {
    long intendedMicros = clock.epochMicros(intendedNanoTime);
    long sendMicros = clock.epochMicros(nanoTime);
    byte[] value = record.value();
    // The count grows with every message sent, so it is the sequence number.
    long sequence = sent.count();
    if (!bodyKnown) {
      bodyChecksum = PayloadHeader.bodyChecksum(value);
      bodyKnown = sameBody;
    }
    boolean tied = intendedMicros == intendedBefore;
    tie = tied ? Math.min(tie + 1, PayloadHeader.MOST_TIE) : 0;
    intendedBefore = intendedMicros;
    PayloadHeader.write(value, bodyChecksum, origin, sequence, intendedMicros, tie);
    PublishCallback callback =
        new PublishCallback(
            outcomes, sequence, tie, intendedMicros, sendMicros - intendedMicros, value.length);
    if (transactions.isPresent()) {
      transactions.get().beforeSend(sequence);
    }
    sent.add(sendMicros);
    try {
      // The client copies key and value before send() returns, so the arrays can be used again.
      sampler.send(client(), record, callback, sequence, intendedMicros, sendMicros);
    } catch (RuntimeException | Error e) {
      callback.thrown(e);
      if (e instanceof Error error) {
        throw error;
      }
    }
    transactions.ifPresent(Transactions::afterSend);
  }

  /** The producer that was given or, in transactions, the one that took over from it last. */
  private Producer<byte[], byte[]> client() {
    return transactions.isPresent() ? transactions.get().client() : client;
  }

  /** Ends the producers that took over. */
  void close(Duration within) {
    transactions.ifPresent(each -> each.close(within));
  }

  void finish() {
    transactions.ifPresent(Transactions::finish);
  }

  /** The client is closed, so every message has its outcome. */
  void closed() {
    transactions.ifPresent(Transactions::closed);
  }

  /** Calls of send(), counted before the call. */
  EventCounter sent() {
    return sent;
  }

  PublishOutcomes outcomes() {
    return outcomes;
  }

  /** Empty for a producer without transactions. */
  Optional<TransactionOutcomes> transactions() {
    return transactions.map(Transactions::outcomes);
  }
}
