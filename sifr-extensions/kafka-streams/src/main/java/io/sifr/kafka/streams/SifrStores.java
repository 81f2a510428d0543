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

/**
 * Suppliers of state stores on Sifr, as {@link org.apache.kafka.streams.state.Stores} has them for
 * RocksDB: for {@code Materialized.as}, {@code StreamJoined} and the builders of {@code Stores}.
 *
 * <p>A store keeps its data in a directory with its name within that of its task. A write is in the
 * log of the store when it returns, so that a killed process loses none; it is on the disk when the
 * operating system writes it. Offsets are in the same log, behind what they speak of, so that after
 * a power loss Kafka Streams reads from the changelog what is missing, and no commit waits for the
 * disk.
 *
 * <p>Keys have at most 65,536 bytes; those of windows and sessions include 12 and 16 for their
 * times.
 */
public final class SifrStores {
  private static final long SHORTEST_SEGMENT = 60_000;

  private SifrStores() {}

  /** A key-value store, for {@code Stores.keyValueStoreBuilder}. */
  public static KeyValueBytesStoreSupplier keyValueStore(String name) {
    return new KeyValueSupplier(name, SifrKeyValueStore::new);
  }

  /**
   * A key-value store with time stamps, for {@code Materialized.as} and {@code
   * Stores.timestampedKeyValueStoreBuilder}.
   */
  public static KeyValueBytesStoreSupplier timestampedKeyValueStore(String name) {
    return new KeyValueSupplier(name, SifrKeyValueStore.Timestamped::new);
  }

  /**
   * A key-value store with time stamps and headers, for {@code
   * Stores.timestampedKeyValueStoreBuilderWithHeaders}.
   */
  public static KeyValueBytesStoreSupplier timestampedKeyValueStoreWithHeaders(String name) {
    return new KeyValueWithHeadersSupplier(name);
  }

  /**
   * A versioned store, for {@code Materialized.as} and {@code
   * Stores.versionedKeyValueStoreBuilder}.
   *
   * @param historyRetention for how long a version can be seen after the next one; not negative
   */
  public static VersionedBytesStoreSupplier versionedKeyValueStore(
      String name, Duration historyRetention) {
    return new VersionedSupplier(name, millis("historyRetention", historyRetention));
  }

  /**
   * A window store, for {@code StreamJoined} and {@code Stores.windowStoreBuilder}.
   *
   * @param retentionPeriod for how long a window is kept after its start; at least {@code
   *     windowSize}
   * @param windowSize how long a window is; not negative
   * @param retainDuplicates whether all values of a key and a window are kept, and not only the
   *     last
   * @throws IllegalArgumentException when a time is not allowed
   */
  public static WindowBytesStoreSupplier windowStore(
      String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
    return new WindowSupplier(
        name, retentionPeriod, windowSize, retainDuplicates, SifrWindowStore::new);
  }

  /**
   * A window store with time stamps, for {@code Materialized.as} and {@code
   * Stores.timestampedWindowStoreBuilder}.
   *
   * @param retentionPeriod for how long a window is kept after its start; at least {@code
   *     windowSize}
   * @param windowSize how long a window is; not negative
   * @param retainDuplicates whether all values of a key and a window are kept, and not only the
   *     last
   * @throws IllegalArgumentException when a time is not allowed
   */
  public static WindowBytesStoreSupplier timestampedWindowStore(
      String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
    return new WindowSupplier(
        name, retentionPeriod, windowSize, retainDuplicates, SifrWindowStore.Timestamped::new);
  }

  /**
   * A window store with time stamps and headers, for {@code
   * Stores.timestampedWindowStoreBuilderWithHeaders}.
   *
   * @param retentionPeriod for how long a window is kept after its start; at least {@code
   *     windowSize}
   * @param windowSize how long a window is; not negative
   * @param retainDuplicates whether all values of a key and a window are kept, and not only the
   *     last
   * @throws IllegalArgumentException when a time is not allowed
   */
  public static WindowBytesStoreSupplier timestampedWindowStoreWithHeaders(
      String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
    return new WindowWithHeadersSupplier(name, retentionPeriod, windowSize, retainDuplicates);
  }

  /**
   * A session store, for {@code Materialized.as} and {@code Stores.sessionStoreBuilder}.
   *
   * @param retentionPeriod for how long a session is kept after its end; not negative
   */
  public static SessionBytesStoreSupplier sessionStore(String name, Duration retentionPeriod) {
    return new SessionSupplier(name, retentionPeriod, SifrSessionStore::new);
  }

  /**
   * A session store with headers, for {@code Stores.sessionStoreBuilderWithHeaders}.
   *
   * @param retentionPeriod for how long a session is kept after its end; not negative
   */
  public static SessionBytesStoreSupplier sessionStoreWithHeaders(
      String name, Duration retentionPeriod) {
    return new SessionWithHeadersSupplier(name, retentionPeriod);
  }

  private static long millis(String name, Duration duration) {
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

  /** What all suppliers have. */
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

  private static class KeyValueSupplier extends Named implements KeyValueBytesStoreSupplier {
    private final Function<String, KeyValueStore<Bytes, byte[]>> store;

    KeyValueSupplier(String name, Function<String, KeyValueStore<Bytes, byte[]>> store) {
      super(name);
      this.store = store;
    }

    @Override
    public KeyValueStore<Bytes, byte[]> get() {
      return store.apply(name());
    }
  }

  private static final class KeyValueWithHeadersSupplier extends KeyValueSupplier
      implements HeadersBytesStoreSupplier {
    KeyValueWithHeadersSupplier(String name) {
      super(name, SifrKeyValueStore.WithHeaders::new);
    }
  }

  private static final class VersionedSupplier extends KeyValueSupplier
      implements VersionedBytesStoreSupplier {
    private final long historyRetention;

    VersionedSupplier(String name, long historyRetention) {
      super(name, store -> new SifrVersionedStore(store, historyRetention));
      this.historyRetention = historyRetention;
    }

    @Override
    public long historyRetentionMs() {
      return historyRetention;
    }
  }

  /** A supplier of window stores, which says how they are to be. */
  static class WindowSupplier extends Named implements WindowBytesStoreSupplier {
    private final long retention;
    private final long windowSize;
    private final boolean retainDuplicates;
    private final Function<WindowSupplier, WindowStore<Bytes, byte[]>> store;

    WindowSupplier(
        String name,
        Duration retentionPeriod,
        Duration windowSize,
        boolean retainDuplicates,
        Function<WindowSupplier, WindowStore<Bytes, byte[]>> store) {
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

    @Override
    public WindowStore<Bytes, byte[]> get() {
      return store.apply(this);
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

  private static final class WindowWithHeadersSupplier extends WindowSupplier
      implements HeadersBytesStoreSupplier {
    WindowWithHeadersSupplier(
        String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
      super(name, retentionPeriod, windowSize, retainDuplicates, SifrWindowStore.WithHeaders::new);
    }
  }

  /** A supplier of session stores, which says how they are to be. */
  static class SessionSupplier extends Named implements SessionBytesStoreSupplier {
    private final long retention;
    private final Function<SessionSupplier, SessionStore<Bytes, byte[]>> store;

    SessionSupplier(
        String name,
        Duration retentionPeriod,
        Function<SessionSupplier, SessionStore<Bytes, byte[]>> store) {
      super(name);
      this.retention = millis("retentionPeriod", retentionPeriod);
      this.store = store;
    }

    @Override
    public SessionStore<Bytes, byte[]> get() {
      return store.apply(this);
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

  private static final class SessionWithHeadersSupplier extends SessionSupplier
      implements HeadersBytesStoreSupplier {
    SessionWithHeadersSupplier(String name, Duration retentionPeriod) {
      super(name, retentionPeriod, SifrSessionStore.WithHeaders::new);
    }
  }
}
