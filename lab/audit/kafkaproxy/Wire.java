// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/** Frames to messages and back. */
final class Wire {
  private Wire() {}

  static AbstractRequest request(Exchange exchange) {
    ByteBuffer frame = exchange.request.duplicate();
    RequestHeader header = RequestHeader.parse(frame);
    return AbstractRequest.parseRequest(
            header.apiKey(), header.apiVersion(), new ByteBufferAccessor(frame))
        .request;
  }

  static AbstractResponse answer(Exchange exchange, ByteBuffer answer) {
    return AbstractResponse.parseResponse(answer.duplicate(), exchange.header);
  }

  static Exchange exchange(RequestHeader header, ApiMessage body) {
    return new Exchange(
        header,
        RequestUtils.serialize(header.data(), header.headerVersion(), body, header.apiVersion()));
  }

  /** A header like another one with a number of its own. */
  static RequestHeader numbered(RequestHeader header, int correlationId) {
    RequestHeaderData data = header.data().duplicate().setCorrelationId(correlationId);
    return new RequestHeader(data, header.headerVersion());
  }

  static ByteBuffer answerFrame(RequestHeader header, ApiMessage body) {
    ResponseHeader head = header.toResponseHeader();
    return RequestUtils.serialize(head.data(), head.headerVersion(), body, header.apiVersion());
  }
}
