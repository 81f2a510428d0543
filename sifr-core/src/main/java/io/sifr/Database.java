package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.sifr.config.Durability;
import io.sifr.config.IngestOptions;
import io.sifr.event.ForestShape;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.state.DatabaseHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One ordered map from keys to values in a {@link Store}. Needs no closing. Safe for any number of
 * threads: reads never wait for writes or for background work.
 *
 * <p>All methods except {@link #name} throw {@link IllegalArgumentException} for a null or
 * oversized key or value, {@link IllegalStateException} after the store was closed or the database
 * dropped, and the exceptions that {@link Store} lists for damaged files and full disks.
 */
public final class Database {
  private final StoreEngine engine;
  private final DatabaseHandle handle;

  Database(StoreEngine engine, DatabaseHandle handle) {
    this.engine = engine;
    this.handle = handle;
  }

  /** Its name. */
  public String name() {
    return handle.name();
  }

  /** Sets the value of a key, with the store's default durability. */
  public void put(byte[] key, byte[] value) {
    put(key, value, engine.options().durability());
  }

  /**
   * Sets the value of a key.
   *
   * @param key 0 to 65536 bytes
   * @param value 0 to 536870912 bytes
   * @param durability what the write survives once the call has returned
   */
  public void put(byte[] key, byte[] value, Durability durability) {
    engine.writes().put(handle, key, value, durability);
  }

  /**
   * Sets the value of a key; both are the readable bytes of buffers, whose indices do not change.
   */
  public void put(ByteBuf key, ByteBuf value, Durability durability) {
    engine.writes().put(handle, key, value, durability);
  }

  /** Removes a key, with the store's default durability; no error if it does not exist. */
  public void delete(byte[] key) {
    delete(key, engine.options().durability());
  }

  /** Removes a key; no error if it does not exist. */
  public void delete(byte[] key, Durability durability) {
    engine.writes().delete(handle, key, durability);
  }

  /** Removes the key in the readable bytes of a buffer, whose indices do not change. */
  public void delete(ByteBuf key, Durability durability) {
    engine.writes().delete(handle, key, durability);
  }

  /** Removes all keys of a range, with the store's default durability. */
  public void deleteRange(KeyRange range) {
    deleteRange(range, engine.options().durability());
  }

  /**
   * Removes all keys of a range: one write, whatever the range holds, which reads nothing and takes
   * some microseconds. Readers see all of it or nothing, snapshots and cursors that are older see
   * everything. No error if the range holds no key, and nothing is written if it cannot hold any.
   *
   * <p>The space comes back with the next flush and compactions. A cursor passes over what was
   * deleted without reading it.
   *
   * @param range a bound may have up to 65536 bytes
   * @throws IllegalArgumentException when the range is null, or one of its bounds is too long
   */
  public void deleteRange(KeyRange range, Durability durability) {
    KeyRange bounds = Arguments.notNull("range", range);
    engine.writes().deleteRange(handle, bounds.from(), bounds.to(), durability);
  }

  /**
   * Sets the value of a key unless it has one, with the store's default durability.
   *
   * @see #putIfAbsent(byte[], byte[], Durability)
   */
  @CanIgnoreReturnValue
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    return putIfAbsent(key, value, engine.options().durability());
  }

  /**
   * Sets the value of a key unless it has one. Atomic, as are the other operations that read and
   * write a key: between the read and the write no other write to the key happens, and what is
   * returned was true at the moment of the write.
   *
   * <p>Costs about as much as a get and a put. What has to be read from disk is read while others
   * write; and nothing is done twice because of others, so of any number of threads that change one
   * key all go on.
   *
   * @return the value it has; null when it had none, and now has the new one
   */
  @CanIgnoreReturnValue
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value, Durability durability) {
    return engine.conditionalWrites().putIfAbsent(handle, key, value, durability);
  }

  /**
   * Sets or removes the value of a key if it has a given one, with the store's default durability.
   *
   * @see #compareAndSet(byte[], byte[], byte[], Durability)
   */
  public boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] value) {
    return compareAndSet(key, expected, value, engine.options().durability());
  }

  /**
   * Sets or removes the value of a key if it has a given one. Atomic, and with the cost of {@link
   * #putIfAbsent(byte[], byte[], Durability)}. Values are compared byte by byte; a key that was
   * given another value and then the expected one again is not told apart from one that always had
   * it (for that see {@link WriteBatch#requireUnchanged(Database, byte[], Snapshot)}).
   *
   * @param expected the value that the key must have; null: it must have none
   * @param value the new value; null: the key is removed
   * @return whether it had the expected value; if not, nothing was written
   */
  public boolean compareAndSet(
      byte[] key, byte @Nullable [] expected, byte @Nullable [] value, Durability durability) {
    return engine.conditionalWrites().compareAndSet(handle, key, expected, value, durability);
  }

  /**
   * Sets the value of a key, with the store's default durability, and returns the one before.
   *
   * @see #getAndPut(byte[], byte[], Durability)
   */
  public byte @Nullable [] getAndPut(byte[] key, byte[] value) {
    return getAndPut(key, value, engine.options().durability());
  }

  /**
   * Sets the value of a key, and returns the one before. Atomic, and with the cost of {@link
   * #putIfAbsent(byte[], byte[], Durability)}.
   *
   * @return the value that was replaced; null when there was none
   */
  public byte @Nullable [] getAndPut(byte[] key, byte[] value, Durability durability) {
    return engine.conditionalWrites().getAndPut(handle, key, value, durability);
  }

  /**
   * Removes a key, with the store's default durability, and returns its value.
   *
   * @see #getAndDelete(byte[], Durability)
   */
  public byte @Nullable [] getAndDelete(byte[] key) {
    return getAndDelete(key, engine.options().durability());
  }

  /**
   * Removes a key, and returns its value: of several threads that do so at the same time one
   * receives it. Atomic, and with the cost of {@link #putIfAbsent(byte[], byte[], Durability)}.
   *
   * @return the value that was removed; null when there was none, and nothing was written
   */
  public byte @Nullable [] getAndDelete(byte[] key, Durability durability) {
    return engine.conditionalWrites().getAndDelete(handle, key, durability);
  }

  /** The value of a key now, or null when it has none. */
  public byte @Nullable [] get(byte[] key) {
    return engine.reads().get(handle, key, StoreEngine.NOW, null);
  }

  /** The value of a key, read with options, or null when it has none. */
  public byte @Nullable [] get(byte[] key, ReadOptions options) {
    return engine.reads().get(handle, key, sequence(options), options.searchScheme());
  }

  /** As {@link #get(ByteBuf, ByteBuf, ReadOptions)}, of the present. */
  public boolean get(ByteBuf key, ByteBuf target) {
    return get(key, target, ReadOptions.DEFAULT);
  }

  /**
   * Appends the value of a key to the caller's buffer, which grows if necessary. Allocates nothing
   * else.
   *
   * @param key the readable bytes are the key; the indices do not change
   * @return whether the key has a value
   */
  public boolean get(ByteBuf key, ByteBuf target, ReadOptions options) {
    return engine
        .reads()
        .get(
            handle,
            key,
            sequence(options),
            options.searchScheme(),
            Arguments.notNull("target", target));
  }

  /** As {@link #read(byte[], Consumer, ReadOptions)}, of the present. */
  public boolean read(byte[] key, Consumer<ByteBuf> reader) {
    return read(key, reader, ReadOptions.DEFAULT);
  }

  /**
   * Passes the value of a key to a reader without copying it. The buffer is read-only and valid
   * only until the reader returns; a later use of it throws. The reader must be quick: until it
   * returns, space cannot be reclaimed.
   *
   * @return whether the key has a value
   */
  public boolean read(byte[] key, Consumer<ByteBuf> reader, ReadOptions options) {
    return engine
        .reads()
        .read(
            handle,
            key,
            sequence(options),
            options.searchScheme(),
            Arguments.notNull("reader", reader));
  }

  /** Whether a key has a value now. */
  public boolean contains(byte[] key) {
    return engine.reads().contains(handle, key, StoreEngine.NOW, null);
  }

  /** Whether a key has a value, read with options. */
  public boolean contains(byte[] key, ReadOptions options) {
    return engine.reads().contains(handle, key, sequence(options), options.searchScheme());
  }

  /** As {@link #multiGet(List, ReadOptions)}, of the present. */
  public List<byte @Nullable []> multiGet(List<byte[]> keys) {
    return multiGet(keys, ReadOptions.DEFAULT);
  }

  /**
   * The values of several keys, all at one moment. Cheaper than successive gets when data has to be
   * read from disk: a block is read once for all keys in it, and with any scheme but {@link
   * io.sifr.config.SearchScheme#SERIAL} the search threads read in parallel. Until it returns,
   * space cannot be reclaimed.
   *
   * @param keys in any order, possibly with duplicates
   * @return a new list, for each key in the order given its value, or null when it has none
   * @throws io.sifr.error.SifrException when one of the keys cannot be read
   */
  public List<byte @Nullable []> multiGet(List<byte[]> keys, ReadOptions options) {
    return engine.reads().multiGet(handle, keys, sequence(options), options.searchScheme());
  }

  /** As {@link #getAsync(byte[], ReadOptions)}, of the present. */
  public CompletableFuture<byte @Nullable []> getAsync(byte[] key) {
    return getAsync(key, ReadOptions.DEFAULT);
  }

  /**
   * The value of a key, without blocking the calling thread on the disk. The caller searches what
   * is in memory, and if that suffices the future is complete when the call returns; the search
   * threads of the store ({@link io.sifr.config.StoreOptions#searchThreads}) read what has to be
   * read. The value is that of the moment of the call, or at the snapshot, which may be closed once
   * the call has returned.
   *
   * <p>Any number of gets can be in progress. Those for which no thread is free wait in a queue,
   * which takes some hundred bytes of memory for each, not counting the key and its value; and
   * files that compactions have replaced since the first of them began stay on disk until it is
   * done.
   *
   * <p>For wrong arguments and a closed snapshot the call throws; every other failure completes the
   * future exceptionally: with {@link IllegalStateException} when the store is closed or the
   * database dropped before the get is done. Cancelling the future saves the work if it has not
   * begun, and is harmless. Stages attached to the future run in a search thread unless they are
   * asynchronous ({@code thenApplyAsync}), so they should be quick.
   */
  public CompletableFuture<byte @Nullable []> getAsync(byte[] key, ReadOptions options) {
    return engine.reads().getAsync(handle, key, sequence(options), options.searchScheme());
  }

  /** A cursor over everything as it is now. */
  public Cursor cursor() {
    return cursor(KeyRange.all());
  }

  /** A cursor over a range as it is now. */
  public Cursor cursor(KeyRange range) {
    return cursor(range, ReadOptions.DEFAULT);
  }

  /**
   * A cursor over a range, with options. What it sees stays the same while it is open, even if the
   * snapshot is closed meanwhile.
   */
  public Cursor cursor(KeyRange range, ReadOptions options) {
    KeyRange bounds = Arguments.notNull("range", range);
    return new Cursor(
        engine.openCursor(
            handle, sequence(options), bounds.from(), bounds.to(), options.searchScheme()));
  }

  /**
   * Merges everything written so far into one tree, so that deleted and overwritten data is gone
   * and reads have one tree to search, and waits for it. What is written meanwhile is flushed and
   * compacted as usual, above that tree. Early cleaning frees space while it runs; without it, as
   * much free space is needed as the database takes. A compaction that is interrupted, by {@link
   * Store#close} or a crash, is resumed when the store is opened again.
   */
  public void compact() {
    engine.compact(handle);
  }

  /**
   * Merges everything written so far to a range of keys into one sorted run, so that deleted and
   * overwritten data there is gone, and waits for it: after many deletions in a part of the
   * database, for example. All keys are flushed, but outside of the range nothing is merged: of
   * SSTs that reach beyond it that part stays where it is, and as long as it does the file keeps
   * its size. It is done stage by stage, and what is written meanwhile is flushed and compacted
   * above. A compaction that is interrupted, by {@link Store#close} or a crash, is resumed when the
   * store is opened again, but the stages below are left as they are then.
   *
   * @param range which keys; with {@link KeyRange#all} as {@link #compact()}
   */
  public void compact(KeyRange range) {
    KeyRange bounds = Arguments.notNull("range", range);
    byte[] from = bounds.from();
    byte[] to = bounds.to();
    if (from == null && to == null) {
      engine.compact(handle);
    } else {
      engine.compact(handle, from, to);
    }
  }

  /** As {@link #ingest(List, IngestOptions)}, with files that are linked and verified. */
  public void ingest(List<Path> files) {
    ingest(files, IngestOptions.DEFAULT);
  }

  /**
   * Adds files of an {@link SstFileWriter} to the database, see {@link Store#ingest}.
   *
   * @param files in any order; no key may be in the ranges of two of them
   */
  public void ingest(List<Path> files, IngestOptions options) {
    engine.ingest(
        Map.of(handle, List.copyOf(Arguments.notNull("files", files))),
        Arguments.notNull("options", options));
  }

  /** Prepares to load many entries in any order. */
  public BulkLoader.Builder bulkLoader() {
    return new BulkLoader.Builder(engine, handle);
  }

  /** The forest as it is now. */
  public ForestShape forest() {
    return engine.forestShape(handle);
  }

  private long sequence(ReadOptions options) {
    return Arguments.notNull("options", options).sequence(engine);
  }

  StoreEngine engine() {
    return engine;
  }

  DatabaseHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "Database[" + handle.name() + "]";
  }
}
