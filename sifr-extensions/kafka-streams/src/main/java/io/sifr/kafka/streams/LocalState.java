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
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one state store of one task: a {@link Store} whose database {@value
 * #BOOKKEEPING} holds what Kafka Streams wants to know of it after a restart, beside the data in
 * other databases.
 *
 * <p>The log of a store keeps the order of writes: after a crash it has everything up to some
 * write, and nothing after it. Offsets are written after the data that they speak of, so it never
 * has an offset without those data, and no write needs to be synced for that.
 *
 * <p>Where Kafka Streams has transactional state stores, and they are switched on, what a task
 * writes is held back until it commits, and is then written together with the offsets: a killed
 * process leaves what was committed last, and nothing else. What is restored is not held back,
 * since it was committed before it came to the changelog.
 *
 * <p>Only the task writes, while it holds the store for itself; others may read.
 */
final class LocalState implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalState.class);
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
  private final View everything;
  private final View committed;

  /** The writes that are held back, null if none are. */
  private final @Nullable TransactionBuffer buffer;

  private volatile Position committedPosition;
  private boolean isRestoring;

  private LocalState(
      Resources resources,
      Store store,
      Database bookkeeping,
      StreamTime streamTime,
      boolean isTransactional) {
    this.resources = resources;
    this.store = store;
    this.bookkeeping = bookkeeping;
    this.streamTime = streamTime;
    this.position = storedPosition(bookkeeping);
    this.committedPosition = position.copy();
    this.buffer = isTransactional ? new TransactionBuffer() : null;
    this.everything = new View(this, buffer);
    this.committed = isTransactional ? new View(this, null) : everything;
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
   *     changelog. Where state stores are transactional it would not, and it is deleted here
   */
  static LocalState open(String name, String form, StateStoreContext context) {
    StoreOptions options = Settings.of(context.appConfigs());
    boolean isTransactional = Settings.isTransactional(context.appConfigs());
    Resources resources = Resources.ofProcess(options);
    try {
      // Kafka Streams deletes what it no longer needs by this name.
      Path directory = Files.createDirectories(context.stateDir().toPath()).resolve(name);
      Store.Builder builder =
          Store.builder(directory).options(options.withoutShared()).resources(resources);
      try {
        return open(name, form, context, builder, resources, isTransactional);
      } catch (TaskCorruptedException e) {
        if (!isTransactional) {
          throw e;
        }
        // Kafka Streams deletes nothing then, since transactional stores can have nothing that is
        // not committed. This one was left by a process for which they were switched off.
        LOG.warn("The state store {} is deleted and filled from its changelog", name, e);
        Store.destroy(directory);
        return open(name, form, context, builder, resources, isTransactional);
      }
    } catch (SifrException | IOException e) {
      resources.close();
      throw new ProcessorStateException("The state store " + name + " cannot be opened", e);
    } catch (RuntimeException e) {
      resources.close();
      throw e;
    }
  }

  private static LocalState open(
      String name,
      String form,
      StateStoreContext context,
      Store.Builder builder,
      Resources resources,
      boolean isTransactional) {
    StreamTime streamTime = new StreamTime();
    Store store = builder.clock(streamTime).open();
    try {
      Database bookkeeping = store.openOrCreateDatabase(BOOKKEEPING);
      requireForm(name, form, bookkeeping);
      requireClosed(name, bookkeeping, context);
      if (!isTransactional) {
        bookkeeping.put(STATUS, OPEN);
      }
      return new LocalState(resources, store, bookkeeping, streamTime, isTransactional);
    } catch (RuntimeException e) {
      store.close();
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

  /** The same, as it was committed last. */
  Position committedPosition() {
    return buffer == null ? position : committedPosition;
  }

  /** All that was written. */
  View everything() {
    return everything;
  }

  /** Without what is held back. */
  View committed() {
    return committed;
  }

  boolean isTransactional() {
    return buffer != null;
  }

  /** About the bytes that are held back. */
  long heldBackBytes() {
    return buffer == null ? 0 : buffer.bytes();
  }

  /** Puts a value, or deletes the key if there is none, as Kafka Streams says it. */
  void put(Database database, byte[] key, byte @Nullable [] value) {
    if (buffer != null && !isRestoring) {
      buffer.put(database, key, value);
    } else if (value == null) {
      database.delete(key);
    } else {
      database.put(key, value);
    }
  }

  /** Writes together what the caller adds. */
  void write(Consumer<Writes> adding) {
    if (buffer != null && !isRestoring) {
      adding.accept(buffer);
    } else {
      WriteBatch batch = new WriteBatch();
      adding.accept(Writes.into(batch));
      store.write(batch);
    }
  }

  /** Runs what restores, so that nothing of it is held back. */
  void restoring(Runnable work) {
    isRestoring = true;
    try {
      work.run();
    } finally {
      isRestoring = false;
    }
  }

  boolean isRestoring() {
    return isRestoring;
  }

  /** Drops a database, with what is held back of it. */
  void drop(Database database) {
    if (buffer != null) {
      buffer.forget(database);
    }
    store.dropDatabase(database.name());
  }

  /** The offset that was committed last, {@code null} if there is none. */
  @Nullable Long committedOffset(TopicPartition partition) {
    byte[] value = bookkeeping.get(key(OFFSET, partition.topic(), partition.partition()));
    return value == null ? null : longOf(value);
  }

  /**
   * Stores offsets and the stream time, together with what was held back and the position that this
   * leads to, and as durably as any write.
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
    if (buffer == null) {
      writeWithTime(batch);
      return;
    }
    Position reached = position.copy();
    addTo(batch, reached);
    buffer.addTo(Writes.into(batch));
    writeWithTime(batch);
    committedPosition = reached;
    buffer.clear();
  }

  /** Writes a batch, and the stream time with it. */
  private void writeWithTime(WriteBatch batch) {
    long time = streamTime.observed();
    if (time != StreamTime.NONE) {
      put(batch, STREAM_TIME, time);
    }
    store.write(batch);
    streamTime.committed(time);
  }

  /** Stores the position, as durably as any write, if {@link #commit} has not done so. */
  void commitPosition() {
    if (buffer == null) {
      WriteBatch batch = new WriteBatch();
      addTo(batch, position);
      store.write(batch);
    }
  }

  private void addTo(WriteBatch batch, Position reached) {
    for (String topic : reached.getTopics()) {
      reached
          .getPartitionPositions(topic)
          .forEach((partition, offset) -> put(batch, key(POSITION, topic, partition), offset));
    }
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
   * Closes the store, and loses what is held back.
   *
   * @throws SifrException when it has failed; then it counts as not closed
   */
  @Override
  public void close() {
    try {
      WriteBatch batch = new WriteBatch().put(bookkeeping, STATUS, CLOSED);
      if (buffer == null) {
        writeWithTime(batch);
      } else {
        store.write(batch);
      }
    } finally {
      try {
        store.close();
      } finally {
        resources.close();
      }
    }
  }
}
