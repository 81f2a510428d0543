package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.map.Codecs;
import io.sifr.spi.OrderedCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.ResultOrder;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.state.VersionedBytesStore;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.jspecify.annotations.Nullable;

/**
 * A versioned store: each version of a key is an entry, its key followed by its time. A version is
 * valid until the next one of its key; a deletion is a version without a value.
 *
 * <p>A version that is followed by another, and each deletion, expires when it is valid for no time
 * within the history that is kept. So nothing has to be looked for and deleted.
 */
final class SifrVersionedStore extends VersionedOnly {
  private static final OrderedCodec<List<Object>> KEYS =
      Codecs.tuples(Codecs.byteArrays(), Codecs.longs());

  private static final byte DELETED = 0;
  private static final byte THERE = 1;

  /** Longer than this no value is kept; what would be, is kept for ever. */
  private static final long LONGEST_LIFE = Duration.ofDays(36_500).toMillis();

  private final Queries queries =
      new Queries(
          Map.of(
              VersionedKeyQuery.class, this::ofTime, MultiVersionedKeyQuery.class, this::ofSpan));

  private final long historyRetention;

  private @Nullable Database database;
  private @Nullable DroppedRecords dropped;

  SifrVersionedStore(String name, long historyRetention) {
    super(name, "versioned");
    this.historyRetention = historyRetention;
  }

  private SifrVersionedStore(SifrVersionedStore viewed) {
    super(viewed);
    this.historyRetention = viewed.historyRetention;
    this.database = viewed.database;
  }

  /** A version of a key: a value that is there from a time on, or a deletion. */
  private static final class Version {
    private final long time;
    private final byte @Nullable [] value;

    Version(long time, byte @Nullable [] value) {
      this.time = time;
      this.value = value;
    }

    static Version at(MergedCursor cursor) {
      byte[] stored = cursor.value();
      return new Version(
          (long) KEYS.decode(cursor.key()).get(1),
          stored[0] == DELETED ? null : Arrays.copyOfRange(stored, 1, stored.length));
    }

    byte[] stored() {
      return value == null
          ? new byte[] {DELETED}
          : ByteBuffer.allocate(1 + value.length).put(THERE).put(value).array();
    }
  }

  @Override
  void opened(LocalState state, StateStoreContext context, @Nullable StateStore root) {
    database = state.store().database();
    dropped = new DroppedRecords(context);
  }

  @Override
  void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      streamTime().observe(record.timestamp());
    }
    for (ConsumerRecord<byte[], byte[]> record : records) {
      add(Bytes.wrap(record.key()), new Version(record.timestamp(), record.value()));
    }
  }

  @Override
  Queries queries() {
    return queries;
  }

  @Override
  SifrVersionedStore committedView() {
    return new SifrVersionedStore(this);
  }

  /** What readers of an isolation level see: an addition of Kafka Streams 4.4. */
  public VersionedBytesStore readOnly(IsolationLevel isolationLevel) {
    return isVisible(isolationLevel) ? this : committedView();
  }

  @Override
  public long put(Bytes key, byte @Nullable [] value, long timestamp) {
    Objects.requireNonNull(key, "key cannot be null");
    requireOpen();
    long validTo = VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT;
    if (timestamp < oldestTime()) {
      Objects.requireNonNull(dropped).count();
    } else {
      streamTime().observe(timestamp);
      validTo = get("writing to", () -> add(key, new Version(timestamp, value)));
    }
    reached();
    return validTo;
  }

  @Override
  public byte @Nullable [] delete(Bytes key, long timestamp) {
    Objects.requireNonNull(key, "key cannot be null");
    byte[] old = timestamp < oldestTime() ? null : get(key, timestamp);
    put(key, null, timestamp);
    return old;
  }

  @Override
  public byte @Nullable [] get(Bytes key) {
    return get(key, Long.MAX_VALUE);
  }

  @Override
  public byte @Nullable [] get(Bytes key, long asOfTimestamp) {
    VersionedRecord<byte[]> found = version(key, asOfTimestamp);
    return found == null
        ? null
        : ByteBuffer.allocate(Long.BYTES + found.value().length)
            .putLong(found.timestamp())
            .put(found.value())
            .array();
  }

  private @Nullable VersionedRecord<byte[]> version(Bytes key, long time) {
    List<VersionedRecord<byte[]>> found = versions(key, time, time);
    return found.isEmpty() ? null : found.get(0);
  }

  /**
   * Versions of a key that were valid at some time of a span, from the first to the last; deletions
   * are left out. Of a time before the history that is kept, only the last version of a key is
   * known.
   */
  private List<VersionedRecord<byte[]>> versions(Bytes key, long from, long to) {
    Objects.requireNonNull(key, "key cannot be null");
    requireOpen();
    return get("reading", () -> versionsOf(key, from, to));
  }

  private List<VersionedRecord<byte[]>> versionsOf(Bytes key, long from, long to) {
    long oldest = oldestTime();
    List<VersionedRecord<byte[]>> found = new ArrayList<>();
    try (MergedCursor cursor = cursor(key)) {
      boolean isAtVersion = seekUpTo(cursor, key, from) || cursor.first();
      while (isAtVersion) {
        Version version = Version.at(cursor);
        if (version.time > to) {
          break;
        }
        isAtVersion = cursor.next();
        long validTo = isAtVersion ? Version.at(cursor).time : Long.MAX_VALUE;
        boolean isKept = !isAtVersion || (to >= oldest && validTo > oldest);
        if (version.value != null && isKept) {
          found.add(
              isAtVersion
                  ? new VersionedRecord<>(version.value, version.time, validTo)
                  : new VersionedRecord<>(version.value, version.time));
        }
      }
    }
    return found;
  }

  /** Moves to the last version up to a time. */
  private static boolean seekUpTo(MergedCursor cursor, Bytes key, long time) {
    return time == Long.MAX_VALUE ? cursor.last() : cursor.seekBefore(keyOf(key, time + 1));
  }

  /** Puts a version, and returns until when it is valid. */
  private long add(Bytes key, Version version) {
    Version before = null;
    Version after = null;
    try (MergedCursor cursor = cursor(key)) {
      boolean isAtVersion = seekUpTo(cursor, key, version.time);
      if (isAtVersion) {
        before = Version.at(cursor);
        isAtVersion = cursor.next();
      } else {
        isAtVersion = cursor.first();
      }
      if (isAtVersion) {
        after = Version.at(cursor);
      }
    }
    add(key, version, before, after);
    return after == null ? VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED : after.time;
  }

  private void add(Bytes key, Version version, @Nullable Version before, @Nullable Version after) {
    write(
        writes -> {
          if (after != null) {
            put(writes, key, version, after.time);
            return;
          }
          put(writes, key, version, version.value == null ? version.time : Long.MAX_VALUE);
          if (before != null && before.value != null && before.time < version.time) {
            // It was the last one until now, so nothing was said of when it expires.
            put(writes, key, before, version.time);
          }
        });
  }

  private void put(Writes writes, Bytes key, Version version, long validTo) {
    byte[] stored = keyOf(key, version.time);
    long now = streamTime().millis();
    long due = validTo + historyRetention + 1;
    if (due < validTo || due - now > LONGEST_LIFE) {
      writes.put(database(), stored, version.stored());
    } else if (validTo >= oldestTime()) {
      Duration life = Duration.ofMillis(Math.max(1, due - now));
      writes.put(database(), stored, version.stored(), life);
    } else {
      writes.put(database(), stored, null);
    }
  }

  /** The first time of the history that is kept. */
  private long oldestTime() {
    return view().streamTime() - historyRetention;
  }

  private MergedCursor cursor(Bytes key) {
    return view()
        .cursor(
            database(), KeySpan.between(keyOf(key, Long.MIN_VALUE), keyOf(key, Long.MAX_VALUE)));
  }

  private Database database() {
    return Objects.requireNonNull(database);
  }

  private static byte[] keyOf(Bytes key, long time) {
    return KEYS.encode(List.of(key.get(), time));
  }

  private QueryResult<?> ofTime(Query<?> query) {
    @SuppressWarnings("unchecked")
    VersionedKeyQuery<Bytes, byte[]> ofTime = (VersionedKeyQuery<Bytes, byte[]>) query;
    Optional<Instant> time = ofTime.asOfTimestamp();
    return QueryResult.forResult(
        version(ofTime.key(), time.isPresent() ? time.get().toEpochMilli() : Long.MAX_VALUE));
  }

  private QueryResult<?> ofSpan(Query<?> query) {
    @SuppressWarnings("unchecked")
    MultiVersionedKeyQuery<Bytes, byte[]> ofSpan = (MultiVersionedKeyQuery<Bytes, byte[]>) query;
    List<VersionedRecord<byte[]>> found =
        versions(
            ofSpan.key(),
            ofSpan.fromTime().map(Instant::toEpochMilli).orElse(Long.MIN_VALUE),
            ofSpan.toTime().map(Instant::toEpochMilli).orElse(Long.MAX_VALUE));
    if (ofSpan.resultOrder() != ResultOrder.ASCENDING) {
      Collections.reverse(found);
    }
    return QueryResult.forResult(new Versions(found.iterator()));
  }

  /** Versions that were read already. */
  private record Versions(Iterator<VersionedRecord<byte[]>> found)
      implements VersionedRecordIterator<byte[]> {
    @Override
    public boolean hasNext() {
      return found.hasNext();
    }

    @Override
    public VersionedRecord<byte[]> next() {
      return found.next();
    }

    @Override
    public void close() {
      // Nothing is held.
    }
  }
}
