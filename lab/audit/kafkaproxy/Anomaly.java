// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * One anomaly, planted once in one partition of one topic.
 *
 * <p>{@code at}: of produce requests, the number of messages of the partition that precede it; of
 * fetch answers, the least offset; of the ends of transactions, how many precede it. {@code count}:
 * how many messages, where the kind takes a number.
 */
final class Anomaly {
  /** What the proxy does; the comment names the request or the answer. */
  enum Kind {
    /** Produce: answered with success and the next offset, and not forwarded. */
    DROP,
    /** Produce: the same for it and all later ones. */
    DROP_TAIL,
    /** Produce: forwarded twice. */
    DOUBLE,
    /** Produce: forwarded, and then again as a producer without an id sends it. */
    DOUBLE_AS_OTHER,
    /** Produce: forwarded after the next one. */
    SWAP,
    /** Produce: forwarded, its answer dropped, and the connection closed. */
    LOSE_ANSWER,
    /** Produce: not forwarded, and answered with an error. */
    REFUSE,
    /** Produce: followed by a message of another program. */
    FOREIGN,
    /** Produce: followed by a message of another run. */
    OTHER_RUN,
    /** Fetch by a group: without the messages. */
    HIDE,
    /** Fetch by a group: without the message and all later ones; the log seems to end there. */
    HIDE_TAIL,
    /** The same, and ListOffsets too states that it ends there. */
    HIDE_TAIL_AND_END,
    /** Fetch by a group: a byte of the value's last part differs. */
    CORRUPT,
    /** Fetch by a group: a byte of the value's first part differs. */
    CORRUPT_HEADER,
    /** Fetch by a group: the value is half as long. */
    TRUNCATE,
    /** Fetch by a group: the contents of the message and of the next one are exchanged. */
    EXCHANGE,
    /**
     * Fetch by a group: the position is refused once, and the log seems to begin {@code count}
     * before.
     */
    REPLAY,
    /** Fetch by a group: the messages come after {@code count} later ones. */
    LATE,
    /** Fetch by a group: no list of aborted transactions, from {@code at} on. */
    UNLIST_ABORTED,
    /** Fetch by the re-read: without the messages. */
    REREAD_HIDE,
    /** Fetch by the re-read: a byte differs. */
    REREAD_CORRUPT,
    /** Fetch by the re-read: contents exchanged. */
    REREAD_EXCHANGE,
    /** ListOffsets: the log ends {@code count} earlier, once {@code at} messages were written. */
    END_EARLIER,
    /** ListOffsets: it ends {@code count} later. */
    END_LATER,
    /** EndTxn: a commit is forwarded as an abort. */
    ABORT_COMMIT,
    /** EndTxn: an abort is forwarded as a commit. */
    COMMIT_ABORT,

    /** EndTxn: not forwarded, and answered as if another producer had taken its place. */
    FENCE,

    /**
     * EndTxn: forwarded, its answer dropped, and no request of the producer is answered any more.
     */
    MUTE_END
  }

  private final String name;
  private final Kind kind;
  private final String topic;
  private final int partition;
  private final long at;
  private final int count;
  private final Map<String, Object> found = new TreeMap<>();
  private boolean planted;
  private long place = -1;

  private Anomaly(String name, Kind kind, String topic, int partition, long at, int count) {
    this.name = name;
    this.kind = kind;
    this.topic = topic;
    this.partition = partition;
    this.at = at;
    this.count = count;
  }

  static Anomaly parse(String line) {
    String[] words = line.trim().split(" ");
    return new Anomaly(
        words[0],
        Kind.valueOf(words[1]),
        words[2],
        Integer.parseInt(words[3]),
        Long.parseLong(words[4]),
        Integer.parseInt(words[5]));
  }

  String name() {
    return name;
  }

  Kind kind() {
    return kind;
  }

  String topic() {
    return topic;
  }

  long at() {
    return at;
  }

  int count() {
    return count;
  }

  boolean planted() {
    return planted;
  }

  boolean is(Kind... kinds) {
    for (Kind each : kinds) {
      if (kind == each) {
        return true;
      }
    }
    return false;
  }

  boolean concerns(String ofTopic, int ofPartition) {
    return topic.equals(ofTopic) && partition == ofPartition;
  }

  /** The offset of the first message that it changes; −1 while it is not known. */
  long place() {
    return place;
  }

  void placeAt(long offset) {
    place = offset;
  }

  Anomaly with(String key, Object value) {
    found.put(key, value);
    return this;
  }

  /** It is not planted again. */
  void begin() {
    planted = true;
  }

  /** Prints where it was planted. */
  void report() {
    planted = true;
    StringJoiner line = new StringJoiner(" ");
    line.add("planted").add(name);
    found.forEach((key, value) -> line.add(key + "=" + value));
    System.out.println(line);
  }
}
