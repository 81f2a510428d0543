package io.sifr.kafka.streams;

import io.sifr.Database;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.query.ResultOrder;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
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

  private SifrKeyValueStore(SifrKeyValueStore viewed) {
    super(viewed);
    this.database = viewed.database;
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
  void opened(LocalState state, StateStoreContext context, @Nullable StateStore root) {
    database = state.store().database();
  }

  @Override
  SifrKeyValueStore committedView() {
    return new SifrKeyValueStore(this);
  }

  /** What readers of an isolation level see: an addition of Kafka Streams 4.4. */
  public ReadOnlyKeyValueStore<Bytes, byte[]> readOnly(IsolationLevel isolationLevel) {
    return isVisible(isolationLevel) ? this : committedView();
  }

  @Override
  void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    Database known = database();
    write(writes -> records.forEach(record -> writes.put(known, record.key(), record.value())));
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
        get(
            "writing to",
            () -> {
              byte[] found = view().get(known, bytes);
              if (found == null && value != null) {
                put(known, bytes, value);
              }
              return found;
            });
    reached();
    return old;
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
    Database known = database();
    entries.forEach(entry -> bytes(entry.key));
    doing(
        "writing to",
        () ->
            write(
                writes ->
                    entries.forEach(entry -> writes.put(known, entry.key.get(), entry.value))));
    reached();
  }

  @Override
  public byte @Nullable [] delete(Bytes key) {
    byte[] bytes = bytes(key);
    Database known = database();
    byte[] old =
        get(
            "deleting from",
            () -> {
              byte[] found = view().get(known, bytes);
              put(known, bytes, null);
              return found;
            });
    reached();
    return old;
  }

  @Override
  public byte @Nullable [] get(Bytes key) {
    byte[] bytes = bytes(key);
    Database known = database();
    return get("reading", () -> view().get(known, bytes));
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
    return iterator(KeySpan.all(), true);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseAll() {
    return iterator(KeySpan.all(), false);
  }

  @Override
  public <S extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
      P prefix, S serializer) {
    Objects.requireNonNull(prefix, "prefix cannot be null");
    Objects.requireNonNull(serializer, "prefixKeySerializer cannot be null");
    return iterator(KeySpan.prefix(serializer.serialize(null, prefix)), true);
  }

  /** By the number of entries that the files have, so that what was overwritten counts twice. */
  @Override
  public long approximateNumEntries() {
    Database known = database();
    return get("counting", () -> view().estimatedSize(known));
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

  private KeyValueIterator<Bytes, byte[]> iterator(KeySpan span, boolean isForward) {
    return iterator(List.of(database()), span, isForward);
  }

  private KeyValueIterator<Bytes, byte[]> iterator(
      List<Database> databases, KeySpan span, boolean isForward) {
    return new EntryIterator(databases, span, isForward, key -> true, this);
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
