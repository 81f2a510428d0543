package io.sifr.kafka.streams;

import io.sifr.Database;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;

/**
 * A store of entries that belong to a time, which is in their key, and that are kept for a while:
 * windows and sessions. Their keys are those of the changelog, and they are iterated over segment
 * by segment, in each by key, since that is the order that caches of Kafka Streams merge with.
 *
 * <p>Where they are emitted when they close, they are kept until that has happened. Its retention
 * period is over when a window closes, so those that are looked for by time alone, which is how
 * they are emitted, are shown for as long as they are there.
 */
abstract class SegmentedStore extends SifrStateStore {
  private final long retention;
  private final long interval;

  /**
   * By how much a window closes later than the time that it is kept by; null if none is emitted.
   */
  private final @Nullable Long closesAfter;

  private @Nullable Segments segments;
  private @Nullable Emission emission;
  private @Nullable DroppedRecords dropped;

  /**
   * A store that is not open yet.
   *
   * @param retention milliseconds for which entries are kept
   * @param interval milliseconds of one segment
   * @param closesAfter milliseconds from the time of an entry to the end of its window, if windows
   *     are emitted when they close; null if they are not
   */
  SegmentedStore(
      String name, String form, long retention, long interval, @Nullable Long closesAfter) {
    super(name, form + ", segments of " + interval + " ms");
    this.retention = retention;
    this.interval = interval;
    this.closesAfter = closesAfter;
  }

  /** A view of what is committed. */
  SegmentedStore(SegmentedStore viewed) {
    super(viewed);
    this.retention = viewed.retention;
    this.interval = viewed.interval;
    this.closesAfter = viewed.closesAfter;
    this.segments = viewed.segments;
  }

  /** The time that the entry with a key belongs to. */
  abstract long timeOf(byte[] key);

  @Override
  final void opened(LocalState state, StateStoreContext context, @Nullable StateStore root) {
    emission = closesAfter == null ? null : new Emission(name(), closesAfter, context, root);
    segments = new Segments(state, interval, emission != null || state.isTransactional());
    dropped = new DroppedRecords(context);
  }

  @Override
  final void committed() {
    segments().committed();
  }

  @Override
  final void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    // What is too old for the last record need not be written for the first.
    for (ConsumerRecord<byte[], byte[]> record : records) {
      streamTime().observe(timeOf(record.key()));
    }
    long oldest = oldestKept();
    write(
        writes -> {
          for (ConsumerRecord<byte[], byte[]> record : records) {
            Database segment = segments().forWriting(timeOf(record.key()), oldest);
            if (segment != null) {
              writes.put(segment, record.key(), record.value());
            }
          }
        });
  }

  /** Puts an entry, or deletes it if the value is null, unless it is too old. */
  final void put(byte[] key, byte @Nullable [] value) {
    requireOpen();
    long time = timeOf(key);
    streamTime().observe(time);
    doing(
        "writing to",
        () -> {
          Database segment = segments().forWriting(time, oldestKept());
          if (segment == null) {
            Objects.requireNonNull(dropped).count();
          } else {
            put(segment, key, value);
          }
        });
    reached();
  }

  /** The value of a key, null if there is none or it is too old. */
  final byte @Nullable [] get(byte[] key) {
    View view = view();
    long time = timeOf(key);
    Database segment = time < oldestShown(closesAfter != null) ? null : segments().at(time);
    return segment == null
        ? null
        : unlessDropped(() -> get("reading", () -> view.get(segment, key)));
  }

  /** The first time that is not too old. */
  final long oldestTime() {
    return view().streamTime() - retention + 1;
  }

  private long oldestShown(boolean isAll) {
    return isAll ? Long.MIN_VALUE : oldestTime();
  }

  /** The first time of which something is kept. */
  private long oldestKept() {
    long retained = streamTime().observed() - retention;
    return emission == null ? retained : emission.oldestKept(retained, retention);
  }

  /** Segments of a span of time, those that are too old left out. */
  final List<Database> segmentsBetween(long from, long to, boolean isForward) {
    requireOpen();
    return segments().between(Math.max(from, oldestTime()), to, isForward);
  }

  private Segments segments() {
    return Objects.requireNonNull(segments);
  }

  /**
   * Entries of segments.
   *
   * @param keys of which keys
   * @param filter which of them
   * @param keyOf what the iterator returns for a key
   */
  final <K> KeyValueIterator<K, byte[]> iterator(
      List<Database> databases,
      KeySpan keys,
      boolean isForward,
      Predicate<byte[]> filter,
      Function<byte[], K> keyOf) {
    return new Iterator<>(new EntryIterator(databases, keys, isForward, filter, this), keyOf);
  }

  /**
   * Entries of a span of time, its ends included. Those that are emitted when they close are in the
   * order of time, and then of keys, if it is their task that queries.
   */
  final <K> KeyValueIterator<K, byte[]> ofTime(
      long from, long to, boolean isForward, Function<byte[], K> keyOf) {
    requireOpen();
    long first = Math.max(from, oldestShown(closesAfter != null));
    Predicate<byte[]> filter =
        key -> {
          long time = timeOf(key);
          return time >= first && time <= to;
        };
    if (isForward && emission != null && emission.isTask()) {
      emission.writeCached();
      List<Database> databases = segments().between(first, to, true);
      return new Iterator<>(new TimeOrderIterator(databases, filter, this), keyOf);
    }
    List<Database> databases = segments().between(first, to, isForward);
    return iterator(databases, KeySpan.all(), isForward, filter, keyOf);
  }

  /** Has another form of keys, and ends when the store is closed. */
  static class Iterator<K> implements KeyValueIterator<K, byte[]> {
    private final KeyValueIterator<Bytes, byte[]> entries;
    private final Function<byte[], K> keyOf;

    Iterator(KeyValueIterator<Bytes, byte[]> entries, Function<byte[], K> keyOf) {
      this.entries = entries;
      this.keyOf = keyOf;
    }

    @Override
    public boolean hasNext() {
      try {
        return entries.hasNext();
      } catch (InvalidStateStoreException e) {
        return false;
      }
    }

    @Override
    public K peekNextKey() {
      return keyOf.apply(entries.peekNextKey().get());
    }

    @Override
    public KeyValue<K, byte[]> next() {
      KeyValue<Bytes, byte[]> next = entries.next();
      return KeyValue.pair(keyOf.apply(next.key.get()), next.value);
    }

    @Override
    public void close() {
      entries.close();
    }
  }
}
