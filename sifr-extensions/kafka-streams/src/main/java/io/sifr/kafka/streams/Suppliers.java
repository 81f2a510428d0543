package io.sifr.kafka.streams;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.HeadersBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;

/** The suppliers that {@link SifrStores} returns; some exist for the interface that they add. */
final class Suppliers {
  private static final long SHORTEST_SEGMENT = 60_000;

  private Suppliers() {}

  /** A time that is not negative. */
  static long millis(String name, Duration duration) {
    long millis = Objects.requireNonNull(duration, name + " cannot be null").toMillis();
    if (millis < 0) {
      throw new IllegalArgumentException(name + " is " + duration + "; it cannot be negative");
    }
    return millis;
  }

  /** As long as the stores of Kafka Streams have them: two in a retention period. */
  private static long segmentInterval(long retention) {
    return Math.max(retention / 2, SHORTEST_SEGMENT);
  }

  static Window window(
      String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
    return new Window(name, retentionPeriod, windowSize, retainDuplicates, SifrWindowStore::new);
  }

  static Window timestampedWindow(
      String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
    return new Window(
        name, retentionPeriod, windowSize, retainDuplicates, SifrWindowStore.Timestamped::new);
  }

  static Window windowWithHeaders(
      String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
    return new WindowWithHeaders(
        name, retentionPeriod, windowSize, retainDuplicates, SifrWindowStore.WithHeaders::new);
  }

  static Session session(String name, Duration retentionPeriod) {
    return new Session(name, retentionPeriod, SifrSessionStore::new);
  }

  static Session sessionWithHeaders(String name, Duration retentionPeriod) {
    return new SessionWithHeaders(name, retentionPeriod, SifrSessionStore.WithHeaders::new);
  }

  /** The common part of all suppliers. */
  abstract static class Named {
    private final String name;

    Named(String name) {
      this.name = Objects.requireNonNull(name, "name cannot be null");
    }

    public final String name() {
      return name;
    }

    public final String metricsScope() {
      return SifrStateStore.METRICS_SCOPE;
    }
  }

  static class KeyValue extends Named implements KeyValueBytesStoreSupplier {
    private final Function<String, KeyValueStore<Bytes, byte[]>> store;

    KeyValue(String name, Function<String, KeyValueStore<Bytes, byte[]>> store) {
      super(name);
      this.store = store;
    }

    @Override
    public KeyValueStore<Bytes, byte[]> get() {
      return store.apply(name());
    }
  }

  static final class KeyValueWithHeaders extends KeyValue implements HeadersBytesStoreSupplier {
    KeyValueWithHeaders(String name, Function<String, KeyValueStore<Bytes, byte[]>> store) {
      super(name, store);
    }
  }

  static final class Versioned extends KeyValue implements VersionedBytesStoreSupplier {
    private final long historyRetention;

    Versioned(
        String name, long historyRetention, Function<String, KeyValueStore<Bytes, byte[]>> store) {
      super(name, store);
      this.historyRetention = historyRetention;
    }

    @Override
    public long historyRetentionMs() {
      return historyRetention;
    }
  }

  /** A supplier of window stores, which says how they are to be. */
  static class Window extends Named implements WindowBytesStoreSupplier {
    private final long retention;
    private final long windowSize;
    private final boolean retainDuplicates;
    private final Function<Window, WindowStore<Bytes, byte[]>> store;
    private boolean isEmittedOnClose;

    Window(
        String name,
        Duration retentionPeriod,
        Duration windowSize,
        boolean retainDuplicates,
        Function<Window, WindowStore<Bytes, byte[]>> store) {
      super(name);
      this.retention = millis("retentionPeriod", retentionPeriod);
      this.windowSize = millis("windowSize", windowSize);
      this.retainDuplicates = retainDuplicates;
      this.store = store;
      if (this.windowSize > retention) {
        throw new IllegalArgumentException(
            "The retention period of the window store "
                + name
                + " must be no smaller than its window size. Got size=["
                + this.windowSize
                + "], retention=["
                + retention
                + "]");
      }
    }

    /** Says that the windows are emitted when they close. */
    final void emitOnClose() {
      isEmittedOnClose = true;
    }

    final boolean isEmittedOnClose() {
      return isEmittedOnClose;
    }

    @Override
    public WindowStore<Bytes, byte[]> get() {
      WindowStore<Bytes, byte[]> made = store.apply(this);
      return isEmittedOnClose ? made : Retention.tell(made, retention);
    }

    @Override
    public long segmentIntervalMs() {
      return segmentInterval(retention);
    }

    @Override
    public long windowSize() {
      return windowSize;
    }

    @Override
    public boolean retainDuplicates() {
      return retainDuplicates;
    }

    @Override
    public long retentionPeriod() {
      return retention;
    }
  }

  static final class WindowWithHeaders extends Window implements HeadersBytesStoreSupplier {
    WindowWithHeaders(
        String name,
        Duration retentionPeriod,
        Duration windowSize,
        boolean retainDuplicates,
        Function<Window, WindowStore<Bytes, byte[]>> store) {
      super(name, retentionPeriod, windowSize, retainDuplicates, store);
    }
  }

  /** A supplier of session stores, which says how they are to be. */
  static class Session extends Named implements SessionBytesStoreSupplier {
    private final long retention;
    private final Function<Session, SessionStore<Bytes, byte[]>> store;
    private boolean isEmittedOnClose;

    Session(
        String name,
        Duration retentionPeriod,
        Function<Session, SessionStore<Bytes, byte[]>> store) {
      super(name);
      this.retention = millis("retentionPeriod", retentionPeriod);
      this.store = store;
    }

    /** Says that the sessions are emitted when they close. */
    final void emitOnClose() {
      isEmittedOnClose = true;
    }

    final boolean isEmittedOnClose() {
      return isEmittedOnClose;
    }

    @Override
    public SessionStore<Bytes, byte[]> get() {
      SessionStore<Bytes, byte[]> made = store.apply(this);
      return isEmittedOnClose ? made : Retention.tell(made, retention);
    }

    @Override
    public long segmentIntervalMs() {
      return segmentInterval(retention);
    }

    @Override
    public long retentionPeriod() {
      return retention;
    }
  }

  static final class SessionWithHeaders extends Session implements HeadersBytesStoreSupplier {
    SessionWithHeaders(
        String name,
        Duration retentionPeriod,
        Function<Session, SessionStore<Bytes, byte[]>> store) {
      super(name, retentionPeriod, store);
    }
  }
}
