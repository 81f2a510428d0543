package io.sifr.kafka.streams;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.TimeWindow;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.WindowKeyQuery;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlyWindowStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.jspecify.annotations.Nullable;

/** A window store. A key is followed by the start of its window and a number, in big-endian. */
class SifrWindowStore extends SegmentedStore implements WindowStore<Bytes, byte[]> {
  private static final int SUFFIX = Long.BYTES + Integer.BYTES;
  private static final byte[] LARGEST =
      ByteBuffer.allocate(SUFFIX).putLong(Long.MAX_VALUE).putInt(Integer.MAX_VALUE).array();

  private final Queries queries =
      new Queries(Map.of(WindowKeyQuery.class, this::ofKey, WindowRangeQuery.class, this::ofRange));

  private final long windowSize;
  private final boolean retainDuplicates;

  /** Distinguishes values of a key and a window; stays 0 if only one of them is kept. */
  private int number;

  SifrWindowStore(Suppliers.Window supplier) {
    this(supplier, "window");
  }

  private SifrWindowStore(Suppliers.Window supplier, String form) {
    super(
        supplier.name(),
        form,
        supplier.retentionPeriod(),
        supplier.segmentIntervalMs(),
        supplier.isEmittedOnClose() ? supplier.windowSize() : null);
    this.windowSize = supplier.windowSize();
    this.retainDuplicates = supplier.retainDuplicates();
  }

  private SifrWindowStore(SifrWindowStore viewed) {
    super(viewed);
    this.windowSize = viewed.windowSize;
    this.retainDuplicates = viewed.retainDuplicates;
  }

  /** One whose values begin with the time of their record. */
  static final class Timestamped extends SifrWindowStore implements TimestampedBytesStore {
    Timestamped(Suppliers.Window supplier) {
      super(supplier, "window, time stamp");
    }
  }

  /** One whose values begin with the headers and the time of their record. */
  static final class WithHeaders extends SifrWindowStore
      implements TimestampedBytesStore, HeadersBytesStore {
    WithHeaders(Suppliers.Window supplier) {
      super(supplier, "window, headers and time stamp");
    }
  }

  @Override
  long timeOf(byte[] key) {
    return startOf(key);
  }

  @Override
  Queries queries() {
    return queries;
  }

  @Override
  SifrWindowStore committedView() {
    return new SifrWindowStore(this);
  }

  /** What readers of an isolation level see: an addition of Kafka Streams 4.4. */
  public ReadOnlyWindowStore<Bytes, byte[]> readOnly(IsolationLevel isolationLevel) {
    return isVisible(isolationLevel) ? this : committedView();
  }

  @Override
  public void put(Bytes key, byte @Nullable [] value, long windowStartTimestamp) {
    Objects.requireNonNull(key, "key cannot be null");
    if (retainDuplicates) {
      if (value == null) {
        return; // Which of the values it would delete, nobody can say.
      }
      number = (number + 1) & Integer.MAX_VALUE;
    }
    put(TimedKeys.of(key, windowStartTimestamp, number), value);
  }

  @Override
  public byte @Nullable [] fetch(Bytes key, long time) {
    Objects.requireNonNull(key, "key cannot be null");
    return get(TimedKeys.of(key, time, number));
  }

  @Override
  public WindowStoreIterator<byte[]> fetch(Bytes key, long timeFrom, long timeTo) {
    return ofKey(key, timeFrom, timeTo, true);
  }

  @Override
  public WindowStoreIterator<byte[]> backwardFetch(Bytes key, long timeFrom, long timeTo) {
    return ofKey(key, timeFrom, timeTo, false);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long timeFrom, long timeTo) {
    return ofKeys(keyFrom, keyTo, timeFrom, timeTo, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long timeFrom, long timeTo) {
    return ofKeys(keyFrom, keyTo, timeFrom, timeTo, false);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetchAll(long timeFrom, long timeTo) {
    return ofTime(timeFrom, timeTo, true, this::windowOf);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetchAll(long timeFrom, long timeTo) {
    return ofTime(timeFrom, timeTo, false, this::windowOf);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> all() {
    return ofKeys(null, null, 0, Long.MAX_VALUE, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardAll() {
    return ofKeys(null, null, 0, Long.MAX_VALUE, false);
  }

  private WindowStoreIterator<byte[]> ofKey(Bytes key, long from, long to, boolean isForward) {
    Objects.requireNonNull(key, "key cannot be null");
    long first = Math.max(0, Math.max(from, oldestTime()));
    return new Windows(
        new EntryIterator(
            segmentsBetween(first, to, isForward),
            KeySpan.between(TimedKeys.of(key, first, 0), TimedKeys.of(key, to, Integer.MAX_VALUE)),
            isForward,
            found -> TimedKeys.isOf(key, found, SUFFIX),
            this));
  }

  private KeyValueIterator<Windowed<Bytes>, byte[]> ofKeys(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long from, long to, boolean isForward) {
    long first = Math.max(from, oldestTime());
    Predicate<byte[]> filter =
        found -> {
          long start = startOf(found);
          return start >= first
              && start <= to
              && Ranges.contains(keyFrom, keyTo, TimedKeys.keyOf(found, SUFFIX));
        };
    return iterator(
        Ranges.isRange(keyFrom, keyTo) ? segmentsBetween(first, to, isForward) : List.of(),
        TimedKeys.between(keyFrom, keyTo, LARGEST),
        isForward,
        filter,
        this::windowOf);
  }

  private Windowed<Bytes> windowOf(byte[] key) {
    long start = startOf(key);
    long end = start + windowSize;
    return new Windowed<>(
        TimedKeys.keyOf(key, SUFFIX), new TimeWindow(start, end < 0 ? Long.MAX_VALUE : end));
  }

  private static long startOf(byte[] key) {
    return ByteBuffer.wrap(key).getLong(key.length - SUFFIX);
  }

  private QueryResult<?> ofKey(Query<?> query) {
    @SuppressWarnings("unchecked")
    WindowKeyQuery<Bytes, byte[]> ofKey = (WindowKeyQuery<Bytes, byte[]>) query;
    if (ofKey.getTimeFrom().isEmpty() || ofKey.getTimeTo().isEmpty()) {
      return Queries.unknown("A query for the windows of a key has to say from when to when");
    }
    return QueryResult.forResult(
        fetch(ofKey.getKey(), ofKey.getTimeFrom().get(), ofKey.getTimeTo().get()));
  }

  private QueryResult<?> ofRange(Query<?> query) {
    @SuppressWarnings("unchecked")
    WindowRangeQuery<Bytes, byte[]> ofRange = (WindowRangeQuery<Bytes, byte[]>) query;
    if (ofRange.getTimeFrom().isEmpty() || ofRange.getTimeTo().isEmpty()) {
      return Queries.unknown("A query for windows has to say from when to when they start");
    }
    return QueryResult.forResult(fetchAll(ofRange.getTimeFrom().get(), ofRange.getTimeTo().get()));
  }

  /** Values of one key, by the start of their window. */
  private static final class Windows extends Iterator<Long> implements WindowStoreIterator<byte[]> {
    Windows(EntryIterator entries) {
      super(entries, SifrWindowStore::startOf);
    }
  }
}
