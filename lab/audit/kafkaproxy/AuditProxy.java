// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A proxy in front of one Kafka broker. It forwards every request and answer byte for byte, except
 * those that an anomaly changes.
 *
 * <pre>
 * java AuditProxy PORT BROKER_PORT
 *
 * stdin    NAME KIND TOPIC PARTITION AT COUNT   plant this anomaly; see Anomaly
 * stdout   listening                            once, at the start
 *          armed NAME
 *          planted NAME offset=… …              where the anomaly was planted
 * </pre>
 *
 * <p>It ends when stdin does.
 */
final class AuditProxy {
  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    int brokerPort = Integer.parseInt(args[1]);
    Traffic traffic = new Traffic();
    ServerSocket server = new ServerSocket(port, 200, InetAddress.getLoopbackAddress());
    Thread accept = new Thread(() -> accept(server, brokerPort, traffic), "accept");
    accept.setDaemon(true);
    accept.start();
    System.out.println("listening");
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      Anomaly anomaly = Anomaly.parse(line);
      traffic.arm(anomaly);
      System.out.println("armed " + anomaly.name());
    }
    System.exit(0);
  }

  private static void accept(ServerSocket server, int brokerPort, Traffic traffic) {
    while (true) {
      try {
        Socket client = server.accept();
        new Link(client, new Socket(InetAddress.getLoopbackAddress(), brokerPort), traffic).start();
      } catch (IOException e) {
        System.err.println("connection: " + e.getMessage());
      }
    }
  }
}
