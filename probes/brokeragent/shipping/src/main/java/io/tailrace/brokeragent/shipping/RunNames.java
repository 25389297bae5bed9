// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent.shipping;

import io.tailrace.brokeragent.RequestRow;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The run that a request belongs to. The load generator's clients have the run in their client ids,
 * and its topics in their names, unless the driver or the workload names them. So a broker knows
 * its runs from the requests alone, on any host, with any number of runs at the same time. A
 * follower's fetch belongs to the run whose clients use the topic. For any thread.
 */
final class RunNames {
  private static final Pattern CLIENT =
      Pattern.compile("([A-Za-z0-9._-]{1,128})-(?:producer|consumer)-\\d+");
  private static final Pattern TOPIC = Pattern.compile("([A-Za-z0-9._-]{1,128})-\\d{7}");
  private static final String NONE = "";

  /**
   * Far more than the clients of a run; a broker with many clients of other programs starts over.
   */
  private static final int MAX_NAMES = 100_000;

  private final Map<String, String> clients = new ConcurrentHashMap<>();
  private final Map<String, String> topics = new ConcurrentHashMap<>();

  /** The run of a row; empty if it belongs to none. */
  String of(RequestRow row) {
    String client = ofClient(row.clientId);
    if (!client.isEmpty()) {
      if (!client.equals(topics.get(row.topic))) {
        put(topics, row.topic, client);
      }
      return client;
    }
    String topic = topics.get(row.topic);
    if (topic == null) {
      topic = run(TOPIC, row.topic);
      put(topics, row.topic, topic);
    }
    return topic;
  }

  /** The run that a client id contains; empty if it contains none. */
  String ofClient(String clientId) {
    if (clientId == null) {
      return NONE;
    }
    String run = clients.get(clientId);
    if (run == null) {
      run = run(CLIENT, clientId);
      put(clients, clientId, run);
    }
    return run;
  }

  private static void put(Map<String, String> names, String name, String run) {
    if (names.size() >= MAX_NAMES) {
      names.clear();
    }
    names.put(name, run);
  }

  private static String run(Pattern pattern, String name) {
    Matcher matcher = pattern.matcher(name);
    return matcher.matches() ? matcher.group(1) : NONE;
  }
}
