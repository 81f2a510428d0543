package io.sifr.kafka.streams;

import java.time.Duration;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;

/**
 * Suppliers of state stores on Sifr, as {@link org.apache.kafka.streams.state.Stores} has them for
 * RocksDB: for {@code Materialized.as}, {@code StreamJoined} and the builders of {@code Stores}.
 *
 * <p>A store keeps its data in a directory with its name within that of its task. A write is in the
 * log of the store when it returns, so that a killed process loses none; it is on the disk when the
 * operating system writes it. Offsets are in the same log, after what they speak of, so that after
 * a power loss Kafka Streams reads from the changelog what is missing, and no commit waits for the
 * disk. Where Kafka Streams has transactional state stores, and they are switched on, a write is
 * held back in memory until its task commits, and is written together with the offsets then.
 *
 * <p>Windows that are emitted when they close need stores from {@link SifrDslStoreSuppliers}, which
 * knows how they are emitted; those from here show windows for their retention period.
 *
 * <p>Keys have at most 65,536 bytes; those of windows and sessions include 12 and 16 for their
 * times.
 */
public final class SifrStores {
  private SifrStores() {}

  /** A key-value store, for {@code Stores.keyValueStoreBuilder}. */
  public static KeyValueBytesStoreSupplier keyValueStore(String name) {
    return new Suppliers.KeyValue(name, SifrKeyValueStore::new);
  }

  /**
   * A key-value store with time stamps, for {@code Materialized.as} and {@code
   * Stores.timestampedKeyValueStoreBuilder}.
   */
  public static KeyValueBytesStoreSupplier timestampedKeyValueStore(String name) {
    return new Suppliers.KeyValue(name, SifrKeyValueStore.Timestamped::new);
  }

  /**
   * A key-value store with time stamps and headers, for {@code
   * Stores.timestampedKeyValueStoreWithHeadersBuilder}.
   */
  public static KeyValueBytesStoreSupplier timestampedKeyValueStoreWithHeaders(String name) {
    return new Suppliers.KeyValueWithHeaders(name, SifrKeyValueStore.WithHeaders::new);
  }

  /**
   * A versioned store, for {@code Materialized.as} and {@code
   * Stores.versionedKeyValueStoreBuilder}.
   *
   * @param historyRetention for how long a version can be seen after the next one; not negative
   */
  public static VersionedBytesStoreSupplier versionedKeyValueStore(
      String name, Duration historyRetention) {
    long millis = Suppliers.millis("historyRetention", historyRetention);
    return new Suppliers.Versioned(name, millis, store -> new SifrVersionedStore(store, millis));
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
    return Suppliers.window(name, retentionPeriod, windowSize, retainDuplicates);
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
    return Suppliers.timestampedWindow(name, retentionPeriod, windowSize, retainDuplicates);
  }

  /**
   * A window store with time stamps and headers, for {@code
   * Stores.timestampedWindowStoreWithHeadersBuilder}.
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
    return Suppliers.windowWithHeaders(name, retentionPeriod, windowSize, retainDuplicates);
  }

  /**
   * A session store, for {@code Materialized.as} and {@code Stores.sessionStoreBuilder}.
   *
   * @param retentionPeriod for how long a session is kept after its end; not negative
   */
  public static SessionBytesStoreSupplier sessionStore(String name, Duration retentionPeriod) {
    return Suppliers.session(name, retentionPeriod);
  }

  /**
   * A session store with headers, for {@code Stores.sessionStoreWithHeadersBuilder}.
   *
   * @param retentionPeriod for how long a session is kept after its end; not negative
   */
  public static SessionBytesStoreSupplier sessionStoreWithHeaders(
      String name, Duration retentionPeriod) {
    return Suppliers.sessionWithHeaders(name, retentionPeriod);
  }
}
