package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.WriteBatch;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;

/**
 * A store of entries that belong to a time, which is in their key, and that are kept for a while:
 * windows and sessions. Their keys are those of the changelog, and they are iterated over segment
 * by segment, in each by key, since that is the order that caches of Kafka Streams merge with.
 */
abstract class SegmentedStore extends SifrStateStore {
  private final long retention;
  private final long interval;

  private @Nullable Segments segments;
  private @Nullable DroppedRecords dropped;

  /**
   * A store that is not open yet.
   *
   * @param retention milliseconds for which entries are kept
   * @param interval milliseconds of one segment
   */
  SegmentedStore(String name, String form, long retention, long interval) {
    super(name, form + ", segments of " + interval + " ms");
    this.retention = retention;
    this.interval = interval;
  }

  /** The time that the entry with a key belongs to. */
  abstract long timeOf(byte[] key);

  @Override
  final void opened(Store store, StateStoreContext context) {
    segments = new Segments(store, retention, interval);
    dropped = new DroppedRecords(context);
  }

  @Override
  final void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    // What is too old for the last record need not be written for the first.
    for (ConsumerRecord<byte[], byte[]> record : records) {
      streamTime().observe(timeOf(record.key()));
    }
    WriteBatch batch = new WriteBatch();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Database segment = segments().forWriting(timeOf(record.key()), streamTime().observed());
      if (segment != null) {
        add(batch, segment, record.key(), record.value());
      }
    }
    write(batch);
  }

  /** Puts an entry, or deletes it if the value is null, unless it is too old. */
  final void put(byte[] key, byte @Nullable [] value) {
    requireOpen();
    long time = timeOf(key);
    streamTime().observe(time);
    doing(
        "writing to",
        () -> {
          Database segment = segments().forWriting(time, streamTime().observed());
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
    requireOpen();
    long time = timeOf(key);
    Database segment = time < oldestTime() ? null : segments().at(time);
    return segment == null ? null : get("reading", () -> segment.get(key));
  }

  /** The first time that is not too old. */
  final long oldestTime() {
    return streamTime().observed() - retention + 1;
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
      KeyRange keys,
      boolean isForward,
      Predicate<byte[]> filter,
      Function<byte[], K> keyOf) {
    return new Iterator<>(new EntryIterator(databases, keys, isForward, filter, this), keyOf);
  }

  /** Has another form of keys than an {@link EntryIterator}, and ends when the store is closed. */
  static class Iterator<K> implements KeyValueIterator<K, byte[]> {
    private final EntryIterator entries;
    private final Function<byte[], K> keyOf;

    Iterator(EntryIterator entries, Function<byte[], K> keyOf) {
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
