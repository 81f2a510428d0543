package io.sifr.kafka.streams;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Resources;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.jspecify.annotations.Nullable;

/**
 * The directory of one state store of one task: a {@link Store} whose database {@value
 * #BOOKKEEPING} holds what Kafka Streams wants to know of it after a restart, beside the data in
 * other databases.
 *
 * <p>The log of a store keeps the order of writes: after a crash it has everything up to some
 * write, and nothing after it. Offsets are written after the data that they speak of, so it never
 * has an offset without those data, and no write needs to be synced for that.
 *
 * <p>Only the task writes, while it holds the store for itself; others may read.
 */
final class LocalState implements AutoCloseable {
  private static final String BOOKKEEPING = "kafka-streams";
  private static final byte[] FORM = "form".getBytes(UTF_8);
  private static final byte[] STATUS = "status".getBytes(UTF_8);
  private static final byte[] OPEN = "open".getBytes(UTF_8);
  private static final byte[] CLOSED = "closed".getBytes(UTF_8);
  private static final byte[] STREAM_TIME = "stream-time".getBytes(UTF_8);
  private static final String OFFSET = "offset/";
  private static final String POSITION = "position/";

  private final Resources resources;
  private final Store store;
  private final Database bookkeeping;
  private final StreamTime streamTime;
  private final Position position;

  private LocalState(
      Resources resources, Store store, Database bookkeeping, StreamTime streamTime) {
    this.resources = resources;
    this.store = store;
    this.bookkeeping = bookkeeping;
    this.streamTime = streamTime;
    this.position = storedPosition(bookkeeping);
    byte[] time = bookkeeping.get(STREAM_TIME);
    if (time != null) {
      streamTime.committed(longOf(time));
    }
  }

  /**
   * Opens that of a state store, or creates it.
   *
   * @param form what the values are; a store that was written in another form is refused
   * @throws TaskCorruptedException when it was not closed, and transactions must not see what was
   *     written after the last one; Kafka Streams then deletes the directory and reads the
   *     changelog
   */
  static LocalState open(String name, String form, StateStoreContext context) {
    StoreOptions options = Settings.of(context.appConfigs());
    Resources resources = Resources.ofProcess(options);
    try {
      // Kafka Streams deletes what it no longer needs by this name.
      Path directory = Files.createDirectories(context.stateDir().toPath()).resolve(name);
      StreamTime streamTime = new StreamTime();
      Store store =
          Store.builder(directory)
              .options(options.withoutShared())
              .resources(resources)
              .clock(streamTime)
              .open();
      try {
        Database bookkeeping = store.openOrCreateDatabase(BOOKKEEPING);
        requireForm(name, form, bookkeeping);
        requireClosed(name, bookkeeping, context);
        bookkeeping.put(STATUS, OPEN);
        return new LocalState(resources, store, bookkeeping, streamTime);
      } catch (RuntimeException e) {
        store.close();
        throw e;
      }
    } catch (SifrException | IOException e) {
      resources.close();
      throw new ProcessorStateException("The state store " + name + " cannot be opened", e);
    } catch (RuntimeException e) {
      resources.close();
      throw e;
    }
  }

  private static void requireForm(String name, String form, Database bookkeeping) {
    byte[] written = bookkeeping.putIfAbsent(FORM, form.getBytes(UTF_8));
    if (written != null && !form.equals(new String(written, UTF_8))) {
      throw new ProcessorStateException(
          "The local state of the store "
              + name
              + " is in the form \""
              + new String(written, UTF_8)
              + "\", not \""
              + form
              + "\". Delete it, and the store is filled from its changelog");
    }
  }

  private static void requireClosed(String name, Database bookkeeping, StateStoreContext context) {
    boolean isExactlyOnce =
        StreamsConfig.EXACTLY_ONCE_V2.equals(
            context.appConfigs().get(StreamsConfig.PROCESSING_GUARANTEE_CONFIG));
    if (isExactlyOnce && Arrays.equals(bookkeeping.get(STATUS), OPEN)) {
      throw new TaskCorruptedException(
          Set.of(context.taskId()),
          new ProcessorStateException(
              "The store "
                  + name
                  + " was not closed, so it may hold what belongs to no finished transaction"));
    }
  }

  Store store() {
    return store;
  }

  /** The largest time that the store has seen, also before a restart. */
  StreamTime streamTime() {
    return streamTime;
  }

  /** How far the store has got in each topic. Thread-safe; only the task changes it. */
  Position position() {
    return position;
  }

  /** The offset that was committed last, {@code null} if there is none. */
  @Nullable Long committedOffset(TopicPartition partition) {
    byte[] value = bookkeeping.get(key(OFFSET, partition.topic(), partition.partition()));
    return value == null ? null : longOf(value);
  }

  /**
   * Stores offsets and the stream time, together, and as durably as any write.
   *
   * @param offsets by partition; {@code null} deletes one. If there are none, all are deleted.
   */
  void commit(Map<TopicPartition, Long> offsets) {
    WriteBatch batch = new WriteBatch();
    if (offsets.isEmpty()) {
      deleteAll(OFFSET, batch);
      deleteAll(POSITION, batch);
    }
    offsets.forEach(
        (partition, offset) ->
            put(batch, key(OFFSET, partition.topic(), partition.partition()), offset));
    write(batch);
  }

  /** Writes a batch, and the stream time with it. */
  private void write(WriteBatch batch) {
    long time = streamTime.observed();
    if (time != StreamTime.NONE) {
      put(batch, STREAM_TIME, time);
    }
    store.write(batch);
    streamTime.committed(time);
  }

  /** Stores the position, as durably as any write. */
  void commitPosition() {
    WriteBatch batch = new WriteBatch();
    for (String topic : position.getTopics()) {
      position
          .getPartitionPositions(topic)
          .forEach((partition, offset) -> put(batch, key(POSITION, topic, partition), offset));
    }
    store.write(batch);
  }

  private void put(WriteBatch batch, byte[] key, @Nullable Long offset) {
    if (offset == null) {
      batch.delete(bookkeeping, key);
    } else {
      batch.put(bookkeeping, key, ByteBuffer.allocate(Long.BYTES).putLong(offset).array());
    }
  }

  private void deleteAll(String kind, WriteBatch batch) {
    try (Cursor cursor = bookkeeping.cursor(KeyRange.prefix(kind.getBytes(UTF_8)))) {
      while (cursor.next()) {
        batch.delete(bookkeeping, cursor.key());
      }
    }
  }

  private static Position storedPosition(Database bookkeeping) {
    Position position = Position.emptyPosition();
    try (Cursor cursor = bookkeeping.cursor(KeyRange.prefix(POSITION.getBytes(UTF_8)))) {
      while (cursor.next()) {
        // A topic's name has no slash.
        String[] parts = new String(cursor.key(), UTF_8).split("/", -1);
        position.withComponent(parts[1], Integer.parseInt(parts[2]), longOf(cursor.value()));
      }
    }
    return position;
  }

  private static byte[] key(String kind, String topic, int partition) {
    return (kind + topic + "/" + partition).getBytes(UTF_8);
  }

  private static long longOf(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }

  /**
   * Closes the store.
   *
   * @throws SifrException when it has failed; then it counts as not closed
   */
  @Override
  public void close() {
    try {
      write(new WriteBatch().put(bookkeeping, STATUS, CLOSED));
    } finally {
      try {
        store.close();
      } finally {
        resources.close();
      }
    }
  }
}
