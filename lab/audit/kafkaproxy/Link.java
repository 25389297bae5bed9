// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * One client's connection and its own connection to the broker. Clients require answers in the
 * order of requests.
 */
final class Link {
  private final Socket client;
  private final Socket broker;
  private final Traffic traffic;
  private final DataInputStream fromClient;
  private final DataInputStream fromBroker;
  private final DataOutputStream toClient;
  private final DataOutputStream toBroker;
  private final Deque<Exchange> open = new ArrayDeque<>();

  Link(Socket client, Socket broker, Traffic traffic) throws IOException {
    this.client = client;
    this.broker = broker;
    this.traffic = traffic;
    client.setTcpNoDelay(true);
    broker.setTcpNoDelay(true);
    fromClient = new DataInputStream(new BufferedInputStream(client.getInputStream()));
    fromBroker = new DataInputStream(new BufferedInputStream(broker.getInputStream()));
    toClient = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()));
    toBroker = new DataOutputStream(new BufferedOutputStream(broker.getOutputStream()));
  }

  void start() {
    thread("requests", this::requests);
    thread("answers", this::answers);
  }

  private interface Loop {
    void run() throws IOException;
  }

  private void thread(String name, Loop loop) {
    Runnable untilClosed =
        () -> {
          try {
            loop.run();
          } catch (IOException e) {
            // One side has closed its connection; the other one closes with it.
          } catch (RuntimeException e) {
            e.printStackTrace();
          } finally {
            close();
          }
        };
    Thread thread = new Thread(untilClosed, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void requests() throws IOException {
    while (true) {
      ByteBuffer frame = read(fromClient);
      traffic.request(this, new Exchange(RequestHeader.parse(frame.duplicate()), frame));
    }
  }

  private void answers() throws IOException {
    while (true) {
      ByteBuffer frame = read(fromBroker);
      Exchange exchange = exchange(frame.getInt(0));
      ByteBuffer answer = exchange.edit.apply(frame);
      synchronized (open) {
        exchange.answer = answer;
        exchange.answered = true;
        deliver();
      }
    }
  }

  private Exchange exchange(int correlationId) throws IOException {
    synchronized (open) {
      return open.stream()
          .filter(each -> !each.answered && each.header.correlationId() == correlationId)
          .findFirst()
          .orElseThrow(() -> new IOException("an answer without a request"));
    }
  }

  /**
   * Sends a request to the broker. Without acknowledgements the broker does not answer one that
   * produces.
   */
  void forward(Exchange exchange, boolean hasAnswer) throws IOException {
    if (hasAnswer) {
      expect(exchange);
    }
    send(exchange);
  }

  /** The client receives answers in the order of these calls. */
  void expect(Exchange exchange) {
    synchronized (open) {
      open.add(exchange);
    }
  }

  void send(Exchange exchange) throws IOException {
    write(toBroker, exchange.request);
  }

  /** Answers a request in the broker's place. */
  void answer(Exchange exchange, ByteBuffer answer) throws IOException {
    synchronized (open) {
      exchange.answer = answer;
      exchange.answered = true;
      open.add(exchange);
      deliver();
    }
  }

  private void deliver() throws IOException {
    while (!open.isEmpty() && open.peek().answered) {
      ByteBuffer answer = open.poll().answer;
      if (answer != null) {
        write(toClient, answer);
      }
    }
  }

  void close() {
    try (client;
        broker) {
      client.shutdownInput();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  private static ByteBuffer read(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private static void write(DataOutputStream out, ByteBuffer frame) throws IOException {
    synchronized (out) {
      out.writeInt(frame.remaining());
      out.write(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
      out.flush();
    }
  }
}
