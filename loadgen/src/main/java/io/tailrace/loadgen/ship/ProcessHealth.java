// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.tailrace.loadgen.block.LatencyHistogram;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * Measures what could make the load generator itself the cause of latency: garbage-collection
 * pauses, CPU time and how late a sleeping thread wakes up.
 */
final class ProcessHealth implements AutoCloseable {
  private static final long SLEEP_NANOS = 10_000_000;
  // A concurrent collection is not a pause: the application keeps running.
  private static final String CONCURRENT = "Concurrent";

  private final Map<String, LatencyHistogram> pauses = new HashMap<>();
  private final LatencyHistogram lag = new LatencyHistogram();
  private final NotificationListener listener = this::collected;
  private final Thread lagThread = new Thread(this::measureLag, "tailrace-lag");
  private long longestPauseMicros;
  private long longestLagMicros;
  private volatile boolean closed;

  ProcessHealth() {
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (bean instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(listener, null, null);
      }
    }
    lagThread.setDaemon(true);
    lagThread.start();
  }

  private void collected(Notification notification, Object handback) {
    if (!notification
        .getType()
        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      return;
    }
    GarbageCollectionNotificationInfo info =
        GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
    if (!info.getGcName().contains(CONCURRENT)) {
      recordPause(info.getGcName(), info.getGcInfo().getDuration() * 1000);
    }
  }

  synchronized void recordPause(String collector, long micros) {
    pauses.computeIfAbsent(collector, name -> new LatencyHistogram()).add(micros);
    longestPauseMicros = Math.max(longestPauseMicros, micros);
  }

  private void measureLag() {
    while (!closed) {
      long wakeTime = System.nanoTime() + SLEEP_NANOS;
      LockSupport.parkNanos(SLEEP_NANOS);
      long late = System.nanoTime() - wakeTime;
      if (late >= 0) {
        recordLag(late / 1000);
      }
    }
  }

  synchronized void recordLag(long micros) {
    lag.add(micros);
    longestLagMicros = Math.max(longestLagMicros, micros);
  }

  /** CPU time of this process so far, s. */
  static double cpuSeconds() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime() / 1e9
        : 0;
  }

  static long heapBytes() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  synchronized void pauses(BiConsumer<String, LatencyHistogram> visitor) {
    pauses.forEach(visitor);
  }

  synchronized void lag(Consumer<LatencyHistogram> visitor) {
    visitor.accept(lag);
  }

  /** The longest pause since the last call, s. */
  synchronized double longestPauseSeconds() {
    long longest = longestPauseMicros;
    longestPauseMicros = 0;
    return longest / 1e6;
  }

  /** The longest lag since the last call, s. */
  synchronized double longestLagSeconds() {
    long longest = longestLagMicros;
    longestLagMicros = 0;
    return longest / 1e6;
  }

  @Override
  public void close() {
    closed = true;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (bean instanceof NotificationEmitter emitter) {
        try {
          emitter.removeNotificationListener(listener);
        } catch (ListenerNotFoundException e) {
          // Already removed by an earlier close.
        }
      }
    }
  }
}
