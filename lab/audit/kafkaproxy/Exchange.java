// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.requests.RequestHeader;

/** One request and its answer, both as frames without their length. */
final class Exchange {
  final RequestHeader header;
  final ByteBuffer request;

  /** What becomes of the answer; null for what the client does not receive. */
  UnaryOperator<ByteBuffer> edit = answer -> answer;

  ByteBuffer answer;
  boolean answered;

  Exchange(RequestHeader header, ByteBuffer request) {
    this.header = header;
    this.request = request;
  }

  Exchange editing(UnaryOperator<ByteBuffer> change) {
    edit = change;
    return this;
  }
}
