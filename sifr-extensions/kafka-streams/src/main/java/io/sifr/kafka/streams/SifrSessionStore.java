package io.sifr.kafka.streams;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlySessionStore;
import org.apache.kafka.streams.state.SessionStore;
import org.jspecify.annotations.Nullable;

/** A session store. A key is followed by the end and the start of its session, in big-endian. */
class SifrSessionStore extends SegmentedStore implements SessionStore<Bytes, byte[]> {
  private static final int SUFFIX = 2 * Long.BYTES;
  private static final byte[] LARGEST =
      ByteBuffer.allocate(SUFFIX).putLong(Long.MAX_VALUE).putLong(Long.MAX_VALUE).array();

  private final Queries queries = new Queries(Map.of(WindowRangeQuery.class, this::ofKey));

  SifrSessionStore(Suppliers.Session supplier) {
    this(supplier, "session");
  }

  private SifrSessionStore(Suppliers.Session supplier, String form) {
    super(
        supplier.name(),
        form,
        supplier.retentionPeriod(),
        supplier.segmentIntervalMs(),
        supplier.isEmittedOnClose() ? 0L : null);
  }

  private SifrSessionStore(SifrSessionStore viewed) {
    super(viewed);
  }

  /** One whose values begin with the headers of their record. */
  static final class WithHeaders extends SifrSessionStore implements HeadersBytesStore {
    WithHeaders(Suppliers.Session supplier) {
      super(supplier, "session, headers");
    }
  }

  @Override
  long timeOf(byte[] key) {
    return endOf(key);
  }

  @Override
  Queries queries() {
    return queries;
  }

  @Override
  SifrSessionStore committedView() {
    return new SifrSessionStore(this);
  }

  /** What readers of an isolation level see: an addition of Kafka Streams 4.4. */
  public ReadOnlySessionStore<Bytes, byte[]> readOnly(IsolationLevel isolationLevel) {
    return isVisible(isolationLevel) ? this : committedView();
  }

  @Override
  public void put(Windowed<Bytes> session, byte @Nullable [] aggregate) {
    put(keyOf(session), aggregate);
  }

  @Override
  public void remove(Windowed<Bytes> session) {
    put(keyOf(session), null);
  }

  @Override
  public byte @Nullable [] fetchSession(Bytes key, long sessionStartTime, long sessionEndTime) {
    Objects.requireNonNull(key, "key cannot be null");
    return get(TimedKeys.of(key, sessionEndTime, sessionStartTime));
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
      long earliestSessionEndTime, long latestSessionEndTime) {
    return ofTime(earliestSessionEndTime, latestSessionEndTime, true, SifrSessionStore::sessionOf);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
      Bytes key, long earliestSessionEndTime, long latestSessionStartTime) {
    return ofKey(key, earliestSessionEndTime, latestSessionStartTime, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
      Bytes key, long earliestSessionEndTime, long latestSessionStartTime) {
    return ofKey(key, earliestSessionEndTime, latestSessionStartTime, false);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
      @Nullable Bytes keyFrom,
      @Nullable Bytes keyTo,
      long earliestSessionEndTime,
      long latestSessionStartTime) {
    return ofKeys(keyFrom, keyTo, earliestSessionEndTime, latestSessionStartTime, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
      @Nullable Bytes keyFrom,
      @Nullable Bytes keyTo,
      long earliestSessionEndTime,
      long latestSessionStartTime) {
    return ofKeys(keyFrom, keyTo, earliestSessionEndTime, latestSessionStartTime, false);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes key) {
    return ofKey(key, 0, Long.MAX_VALUE, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(Bytes key) {
    return ofKey(key, 0, Long.MAX_VALUE, false);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo) {
    return ofKeys(keyFrom, keyTo, 0, Long.MAX_VALUE, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo) {
    return ofKeys(keyFrom, keyTo, 0, Long.MAX_VALUE, false);
  }

  private KeyValueIterator<Windowed<Bytes>, byte[]> ofKey(
      Bytes key, long earliestEnd, long latestStart, boolean isForward) {
    Objects.requireNonNull(key, "key cannot be null");
    long first = Math.max(0, Math.max(earliestEnd, oldestTime()));
    return iterator(
        segmentsBetween(first, Long.MAX_VALUE, isForward),
        KeySpan.between(
            TimedKeys.of(key, first, 0L), TimedKeys.of(key, Long.MAX_VALUE, Long.MAX_VALUE)),
        isForward,
        found -> TimedKeys.isOf(key, found, SUFFIX) && startOf(found) <= latestStart,
        SifrSessionStore::sessionOf);
  }

  private KeyValueIterator<Windowed<Bytes>, byte[]> ofKeys(
      @Nullable Bytes keyFrom,
      @Nullable Bytes keyTo,
      long earliestEnd,
      long latestStart,
      boolean isForward) {
    long first = Math.max(earliestEnd, oldestTime());
    Predicate<byte[]> filter =
        found ->
            endOf(found) >= first
                && startOf(found) <= latestStart
                && Ranges.contains(keyFrom, keyTo, TimedKeys.keyOf(found, SUFFIX));
    return iterator(
        Ranges.isRange(keyFrom, keyTo)
            ? segmentsBetween(first, Long.MAX_VALUE, isForward)
            : List.of(),
        TimedKeys.between(keyFrom, keyTo, LARGEST),
        isForward,
        filter,
        SifrSessionStore::sessionOf);
  }

  private QueryResult<?> ofKey(Query<?> query) {
    @SuppressWarnings("unchecked")
    WindowRangeQuery<Bytes, byte[]> ofRange = (WindowRangeQuery<Bytes, byte[]>) query;
    return ofRange.getKey().isEmpty()
        ? Queries.unknown("A query for sessions has to say of which key")
        : QueryResult.forResult(fetch(ofRange.getKey().get()));
  }

  private static byte[] keyOf(Windowed<Bytes> session) {
    Objects.requireNonNull(session, "sessionKey cannot be null");
    return TimedKeys.of(session.key(), session.window().end(), session.window().start());
  }

  private static Windowed<Bytes> sessionOf(byte[] key) {
    return new Windowed<>(
        TimedKeys.keyOf(key, SUFFIX), new SessionWindow(startOf(key), endOf(key)));
  }

  private static long endOf(byte[] key) {
    return ByteBuffer.wrap(key).getLong(key.length - SUFFIX);
  }

  private static long startOf(byte[] key) {
    return ByteBuffer.wrap(key).getLong(key.length - Long.BYTES);
  }
}
