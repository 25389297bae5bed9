// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * A proxy in front of a broker that cuts connections at the request that ends a transaction. Passes
 * everything on until it is armed.
 */
public final class CommitProxy implements AutoCloseable {
  /** What happens to a request that ends a transaction. */
  public enum Cut {
    NONE,
    /** The broker never gets it. */
    REQUEST,
    /** The broker gets the first of them; no answer comes back. */
    ANSWER
  }

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int brokerPort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger left = new AtomicInteger();
  private volatile Cut cut = Cut.NONE;

  private CommitProxy(int brokerPort) throws IOException {
    this.brokerPort = brokerPort;
    daemon(this::accept);
  }

  /** A proxy on a free port. */
  public static CommitProxy before(int brokerPort) {
    try {
      return new CommitProxy(brokerPort);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Cuts the next requests that end a transaction, at most so many; later ones pass. */
  public void arm(Cut kind, int requests) {
    left.set(requests);
    cut = kind;
  }

  /** Requests that it would still cut. */
  public int left() {
    return left.get();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = server.accept();
      daemon(() -> connect(client));
    }
  }

  /** Refused where the broker does not listen yet. */
  private void connect(Socket client) throws IOException {
    try (client;
        Socket broker = new Socket(InetAddress.getLoopbackAddress(), brokerPort)) {
      open.add(client);
      open.add(broker);
      Connection connection = new Connection(client, broker);
      daemon(connection::answers);
      connection.requests();
    }
  }

  private final class Connection {
    private final Socket client;
    private final Socket broker;
    private volatile boolean answerIsCut;

    Connection(Socket client, Socket broker) {
      this.client = client;
      this.broker = broker;
    }

    void requests() throws IOException {
      try (client;
          broker) {
        DataInputStream in = new DataInputStream(client.getInputStream());
        OutputStream out = broker.getOutputStream();
        while (true) {
          byte[] request = new byte[in.readInt()];
          in.readFully(request);
          if (endsTransaction(request) && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            if (cut == Cut.REQUEST) {
              return;
            }
            // A repeated request would be answered at once, so only the first one is passed on.
            cut = Cut.REQUEST;
            answerIsCut = true;
          }
          out.write(ByteBuffer.allocate(Integer.BYTES).putInt(request.length).array());
          out.write(request);
        }
      }
    }

    void answers() throws IOException {
      try (client;
          broker) {
        InputStream in = broker.getInputStream();
        OutputStream out = client.getOutputStream();
        byte[] bytes = new byte[1 << 16];
        for (int n = in.read(bytes); n >= 0 && !answerIsCut; n = in.read(bytes)) {
          out.write(bytes, 0, n);
        }
      }
    }

    private boolean endsTransaction(byte[] request) {
      return ByteBuffer.wrap(request).getShort() == ApiKeys.END_TXN.id;
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void daemon(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // One of the two sides has gone.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
