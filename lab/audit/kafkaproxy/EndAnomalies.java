// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.EndTxnRequest;
import org.apache.kafka.common.requests.InitProducerIdRequest;

/** Anomalies of requests that end a transaction. */
final class EndAnomalies {
  private static final Anomaly.Kind[] KINDS = {
    Anomaly.Kind.ABORT_COMMIT, Anomaly.Kind.COMMIT_ABORT, Anomaly.Kind.FENCE, Anomaly.Kind.MUTE_END
  };

  private final Traffic traffic;
  private final Map<String, Long> ended = new HashMap<>();
  private final Set<String> muted = new HashSet<>();

  EndAnomalies(Traffic traffic) {
    this.traffic = traffic;
  }

  synchronized void request(Link link, Exchange exchange) throws IOException {
    if (Wire.request(exchange) instanceof InitProducerIdRequest init) {
      if (muted.contains(init.data().transactionalId())) {
        link.close();
      } else {
        link.forward(exchange, true);
      }
      return;
    }
    EndTxnRequestData data = ((EndTxnRequest) Wire.request(exchange)).data();
    if (muted.contains(data.transactionalId())) {
      link.close();
      return;
    }
    long number = ended.merge(data.transactionalId(), 1L, Long::sum) - 1;
    Optional<Anomaly> due = due(data, number);
    if (due.isEmpty()) {
      link.forward(exchange, true);
      return;
    }
    due.get().with("number", number);
    if (due.get().is(Anomaly.Kind.MUTE_END)) {
      muted.add(data.transactionalId());
      exchange.edit =
          answer -> {
            link.close();
            return null;
          };
      link.forward(exchange, true);
    } else if (due.get().is(Anomaly.Kind.FENCE)) {
      var body = new EndTxnResponseData().setErrorCode(Errors.PRODUCER_FENCED.code());
      link.answer(exchange, Wire.answerFrame(exchange.header, body));
    } else {
      link.forward(Wire.exchange(exchange.header, data.setCommitted(!data.committed())), true);
    }
    due.get().report();
  }

  private Optional<Anomaly> due(EndTxnRequestData data, long number) {
    return traffic
        .armed(KINDS)
        .filter(each -> !each.planted() && number >= each.at())
        .filter(each -> each.is(Anomaly.Kind.COMMIT_ABORT) != data.committed())
        .filter(each -> data.transactionalId().startsWith(run(each.topic()) + "-"))
        .findFirst();
  }

  /** Topics of a run are named by the run and a number. */
  private static String run(String topic) {
    return topic.substring(0, topic.lastIndexOf('-'));
  }
}
