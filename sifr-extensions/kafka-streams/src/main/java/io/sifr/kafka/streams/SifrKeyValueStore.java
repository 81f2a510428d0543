package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.WriteBatch;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.query.ResultOrder;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.jspecify.annotations.Nullable;

/** A key-value store: its entries are those of a database, byte by byte. */
class SifrKeyValueStore extends SifrStateStore implements KeyValueStore<Bytes, byte[]> {
  private final Queries queries =
      new Queries(Map.of(KeyQuery.class, this::valueOf, RangeQuery.class, this::rangeOf));

  private @Nullable Database database;

  SifrKeyValueStore(String name) {
    this(name, "key-value");
  }

  private SifrKeyValueStore(String name, String form) {
    super(name, form);
  }

  /** One whose values begin with the time of their record. */
  static final class Timestamped extends SifrKeyValueStore implements TimestampedBytesStore {
    Timestamped(String name) {
      super(name, "key-value, time stamp");
    }
  }

  /** One whose values begin with the headers and the time of their record. */
  static final class WithHeaders extends SifrKeyValueStore
      implements TimestampedBytesStore, HeadersBytesStore {
    WithHeaders(String name) {
      super(name, "key-value, headers and time stamp");
    }
  }

  @Override
  void opened(Store store, StateStoreContext context) {
    database = store.database();
  }

  @Override
  void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    WriteBatch batch = new WriteBatch();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      add(batch, database(), record.key(), record.value());
    }
    write(batch);
  }

  @Override
  Queries queries() {
    return queries;
  }

  @Override
  public void put(Bytes key, byte @Nullable [] value) {
    byte[] bytes = bytes(key);
    Database known = database();
    doing("writing to", () -> put(known, bytes, value));
    reached();
  }

  @Override
  public byte @Nullable [] putIfAbsent(Bytes key, byte @Nullable [] value) {
    byte[] bytes = bytes(key);
    Database known = database();
    byte[] old =
        get("writing to", () -> value == null ? known.get(bytes) : known.putIfAbsent(bytes, value));
    reached();
    return old;
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
    requireOpen();
    WriteBatch batch = new WriteBatch();
    for (KeyValue<Bytes, byte[]> entry : entries) {
      add(batch, database(), bytes(entry.key), entry.value);
    }
    doing("writing to", () -> write(batch));
    reached();
  }

  @Override
  public byte @Nullable [] delete(Bytes key) {
    byte[] bytes = bytes(key);
    Database known = database();
    byte[] old = get("deleting from", () -> known.getAndDelete(bytes));
    reached();
    return old;
  }

  @Override
  public byte @Nullable [] get(Bytes key) {
    byte[] bytes = bytes(key);
    Database known = database();
    return get("reading", () -> known.get(bytes));
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> range(@Nullable Bytes from, @Nullable Bytes to) {
    return iterator(from, to, true);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseRange(@Nullable Bytes from, @Nullable Bytes to) {
    return iterator(from, to, false);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> all() {
    return iterator(KeyRange.all(), true);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseAll() {
    return iterator(KeyRange.all(), false);
  }

  @Override
  public <S extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
      P prefix, S serializer) {
    Objects.requireNonNull(prefix, "prefix cannot be null");
    Objects.requireNonNull(serializer, "prefixKeySerializer cannot be null");
    return iterator(KeyRange.prefix(serializer.serialize(null, prefix)), true);
  }

  /** By the number of entries that the files have, so that what was overwritten counts twice. */
  @Override
  public long approximateNumEntries() {
    Database known = database();
    return get("counting", () -> known.estimate(KeyRange.all()).entries());
  }

  private Database database() {
    requireOpen();
    return Objects.requireNonNull(database);
  }

  private KeyValueIterator<Bytes, byte[]> iterator(
      @Nullable Bytes from, @Nullable Bytes to, boolean isForward) {
    Database known = database();
    return iterator(
        Ranges.isRange(from, to) ? List.of(known) : List.of(), Ranges.of(from, to), isForward);
  }

  private KeyValueIterator<Bytes, byte[]> iterator(KeyRange range, boolean isForward) {
    return iterator(List.of(database()), range, isForward);
  }

  private KeyValueIterator<Bytes, byte[]> iterator(
      List<Database> databases, KeyRange range, boolean isForward) {
    return new EntryIterator(databases, range, isForward, key -> true, this);
  }

  private QueryResult<?> valueOf(Query<?> query) {
    @SuppressWarnings("unchecked")
    KeyQuery<Bytes, byte[]> keyQuery = (KeyQuery<Bytes, byte[]>) query;
    return QueryResult.forResult(get(keyQuery.getKey()));
  }

  private QueryResult<?> rangeOf(Query<?> query) {
    @SuppressWarnings("unchecked")
    RangeQuery<Bytes, byte[]> range = (RangeQuery<Bytes, byte[]>) query;
    return QueryResult.forResult(
        iterator(
            range.getLowerBound().orElse(null),
            range.getUpperBound().orElse(null),
            range.resultOrder() != ResultOrder.DESCENDING));
  }

  private static byte[] bytes(Bytes key) {
    return Objects.requireNonNull(key, "key cannot be null").get();
  }
}
