package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IngestOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.ForestShape;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.conditions.ConditionalWrites;
import io.sifr.internal.engine.read.RangeEstimation;
import io.sifr.internal.engine.read.ReadPath;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.BufferKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One ordered map from keys to values in a {@link Store}. Needs no closing. Safe for any number of
 * threads: reads never wait for writes or for background work.
 *
 * <p>Writes without {@link WriteOptions} have the {@linkplain
 * io.sifr.config.StoreOptions#durability durability of the store}, reads without {@link
 * ReadOptions} see the present. A write that would be held back for longer than its options allow
 * throws {@link io.sifr.error.StallTimeoutException}, and nothing is written. Keys and values are
 * arrays, which are copied; {@link #byteBufs} and {@link #byteBuffers} are views for those who have
 * them in buffers.
 *
 * <p>All methods except {@link #name} throw {@link IllegalArgumentException} for a null or
 * oversized key or value, {@link IllegalStateException} after the store was closed or the database
 * dropped, and the exceptions that {@link Store} lists for damaged files and full disks. Reads of a
 * key into which something was merged throw {@link io.sifr.error.MergeOperatorException} when the
 * operator fails.
 */
public final class Database {
  private final StoreEngine engine;
  private final DatabaseHandle handle;
  private final ReadPath reads;
  private final WritePath writes;
  private final ConditionalWrites conditional;

  Database(StoreEngine engine, DatabaseHandle handle) {
    this.engine = engine;
    this.handle = handle;
    this.reads = engine.reads();
    this.writes = engine.writes();
    this.conditional = engine.conditionalWrites();
  }

  /** Its name. */
  public String name() {
    return handle.name();
  }

  /** What is set for it; see {@link Store#alterDatabase}. */
  public DatabaseOptions options() {
    engine.checkOpen();
    return handle.options();
  }

  /** Sets the value of a key. */
  public void put(byte[] key, byte[] value) {
    put(key, value, WriteOptions.DEFAULT);
  }

  /**
   * Sets the value of a key, with options: it may expire, for example. Besides the array, a value
   * of 64 KiB or more that is apart from its key takes 256 KiB of memory, if the write is {@link
   * io.sifr.config.Durability#SYNC} one of 256 KiB or more; any other takes its length up to twice,
   * in the write buffer and on the way to it.
   *
   * @param key 0 to 65536 bytes
   * @param value 0 to 536870912 bytes; eight less if it expires
   */
  public void put(byte[] key, byte[] value, WriteOptions options) {
    writes.put(handle, key, value, Arguments.notNull("options", options));
  }

  /**
   * Sets the value of a key to the next bytes of a stream. A value of 1 MiB or more that is apart
   * from its key ({@link io.sifr.config.DatabaseOptions.Builder#separateValuesFrom}) is written to
   * its file as it comes, and never in memory as a whole: the call takes about 600 KiB, however
   * long it is. Any other is read into an array first, and put; that is what happens to all while
   * the log is retained for readers of {@linkplain Store#changes changes}.
   *
   * <p>Nothing else waits for the stream: others write, flush, copy and close the store meanwhile.
   * If it is closed, or the database dropped, the call fails, once the stream lets it. The stream
   * may read from this store. How long it takes does not count as being held back; what expires
   * does so from the begin of the call on.
   *
   * @param key 0 to 65536 bytes; not to be changed before the call returns
   * @param length bytes of the value, 0 to 536870912. So many are read, what follows stays in the
   *     stream, and it is not closed
   * @throws IOException what the stream throws; an {@link java.io.EOFException} if it ends too
   *     early. As after any other exception nothing is written, and the space is given back
   */
  public void put(byte[] key, long length, InputStream value, WriteOptions options)
      throws IOException {
    writes.put(
        handle,
        key,
        length,
        Arguments.notNull("value", value),
        Arguments.notNull("options", options));
  }

  /**
   * Sets the value of a key, and does not wait until it is as durable as the options say: for one
   * thread that has many {@link io.sifr.config.Durability#SYNC} writes to make, of which one sync
   * makes all durable that came during the one before.
   *
   * <p>The write is made by the call, on the calling thread: when it returns, readers see it, and
   * what a thread writes later is ordered after it. The call waits as {@link #put(byte[], byte[],
   * WriteOptions)} does when flushes or compactions are behind. The future is completed when a
   * power failure cannot undo the write any more; with another durability than {@code SYNC} that of
   * the call suffices, and it is complete at once. A write in flight takes some 50 bytes besides
   * what it takes in the write buffer.
   *
   * <p>For wrong arguments the call throws. All that {@code put} throws besides completes the
   * future exceptionally: before the write is made, and then it is not made, or because the log
   * cannot be synced ({@link io.sifr.error.StoreFailedException}), and then it is unknown whether
   * the write is there when the store is opened again. {@link Store#close} completes what is in
   * flight. To cancel the future does not take back the write.
   *
   * <p>Futures of one thread's writes are completed in their order, all by one thread, which also
   * syncs. Stages attached to them run there unless they are asynchronous ({@code thenRunAsync}):
   * they should be quick, and must not wait for the future of another write of the store.
   *
   * @param key 0 to 65536 bytes
   * @param value 0 to 536870912 bytes; eight less if it expires
   */
  public CompletableFuture<Void> putAsync(byte[] key, byte[] value, WriteOptions options) {
    return engine
        .asyncWrites()
        .write(Arguments.notNull("options", options), how -> writes.put(handle, key, value, how));
  }

  /** Merges an operand into the value of a key. */
  public void merge(byte[] key, byte[] operand) {
    merge(key, operand, WriteOptions.DEFAULT);
  }

  /**
   * Merges an operand into the value of a key, as the database's {@linkplain
   * io.sifr.config.DatabaseOptions#mergeOperator merge operator} says: adds to a number, for
   * example. One write, which reads nothing and takes no lock on the key, so many threads may merge
   * into one key. Readers, snapshots and cursors see what all operands up to their moment come to.
   *
   * <p>The operands are kept until flushes and compactions have replaced them by their result. A
   * read of a key has to read all that there are, from as many trees as hold some.
   *
   * @param key 0 to 65536 bytes
   * @param operand 0 to 536870912 bytes
   * @throws IllegalArgumentException also when the operator refuses the operand
   * @throws IllegalStateException also when the database has no operator
   * @throws io.sifr.error.MergeOperatorException when its operator is not registered
   */
  public void merge(byte[] key, byte[] operand, WriteOptions options) {
    writes.merge(handle, key, operand, Arguments.withoutExpiry(options));
  }

  /** Removes a key; no error if it does not exist. */
  public void delete(byte[] key) {
    delete(key, WriteOptions.DEFAULT);
  }

  /** Removes a key, with options; no error if it does not exist. */
  public void delete(byte[] key, WriteOptions options) {
    writes.delete(handle, key, Arguments.withoutExpiry(options));
  }

  /** Removes all keys of a range. */
  public void deleteRange(KeyRange range) {
    deleteRange(range, WriteOptions.DEFAULT);
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
  public void deleteRange(KeyRange range, WriteOptions options) {
    KeyRange bounds = Arguments.notNull("range", range);
    writes.deleteRange(handle, bounds.from(), bounds.to(), Arguments.withoutExpiry(options));
  }

  /** Sets the value of a key unless it has one. */
  @CanIgnoreReturnValue
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    return putIfAbsent(key, value, WriteOptions.DEFAULT);
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
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value, WriteOptions options) {
    return conditional.putIfAbsent(handle, key, value, Arguments.notNull("options", options));
  }

  /** Sets or removes the value of a key if it has a given one. */
  public boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] value) {
    return compareAndSet(key, expected, value, WriteOptions.DEFAULT);
  }

  /**
   * Sets or removes the value of a key if it has a given one. Atomic, and with the cost of {@link
   * #putIfAbsent(byte[], byte[], WriteOptions)}. Values are compared byte by byte; a key that was
   * given another value and then the expected one again is not distinguished from one that always
   * had it (for that see {@link WriteBatch#requireUnchanged(Database, byte[], Snapshot)}).
   *
   * @param expected the value that the key must have; null: it must have none
   * @param value the new value; null: the key is removed
   * @param options may let a new value expire
   * @return whether it had the expected value; if not, nothing was written
   */
  public boolean compareAndSet(
      byte[] key, byte @Nullable [] expected, byte @Nullable [] value, WriteOptions options) {
    WriteOptions given =
        value == null ? Arguments.withoutExpiry(options) : Arguments.notNull("options", options);
    return conditional.compareAndSet(handle, key, expected, value, given);
  }

  /** Sets the value of a key, and returns the one before. */
  public byte @Nullable [] getAndPut(byte[] key, byte[] value) {
    return getAndPut(key, value, WriteOptions.DEFAULT);
  }

  /**
   * Sets the value of a key, and returns the one before. Atomic, and with the cost of {@link
   * #putIfAbsent(byte[], byte[], WriteOptions)}.
   *
   * @return the value that was replaced; null when there was none
   */
  public byte @Nullable [] getAndPut(byte[] key, byte[] value, WriteOptions options) {
    return conditional.getAndPut(handle, key, value, Arguments.notNull("options", options));
  }

  /** Removes a key, and returns its value. */
  public byte @Nullable [] getAndDelete(byte[] key) {
    return getAndDelete(key, WriteOptions.DEFAULT);
  }

  /**
   * Removes a key, and returns its value: of several threads that do so at the same time one
   * receives it. Atomic, and with the cost of {@link #putIfAbsent(byte[], byte[], WriteOptions)}.
   *
   * @return the value that was removed; null when there was none, and nothing was written
   */
  public byte @Nullable [] getAndDelete(byte[] key, WriteOptions options) {
    return conditional.getAndDelete(handle, key, Arguments.withoutExpiry(options));
  }

  /** The value of a key now, or null when it has none. */
  public byte @Nullable [] get(byte[] key) {
    return reads.get(handle, key, StoreEngine.NOW, null);
  }

  /** The value of a key, read with options, or null when it has none. */
  public byte @Nullable [] get(byte[] key, ReadOptions options) {
    return reads.get(handle, key, sequence(options), options.searchScheme());
  }

  /** As {@link #read(byte[], int, int, byte[], ReadOptions)}, of the present. */
  public int read(byte[] key, int from, int length, byte[] target) {
    return read(key, from, length, target, ReadOptions.DEFAULT);
  }

  /**
   * Copies a part of the value of a key to the beginning of an array. Of a large value, one that is
   * {@linkplain DatabaseOptions#separateValuesFrom apart from its key}, little more than the part
   * is read. For several parts of one version, see {@link #valueReader}.
   *
   * @param from the first byte of the part, counted from 0
   * @param length bytes of the part, at most as many as the array has
   * @return how many bytes were copied: fewer than asked for if the value ends before, none if it
   *     ends before the part begins; -1 if the key has no value
   * @throws io.sifr.error.CorruptionException when the part is damaged
   */
  public int read(byte[] key, int from, int length, byte[] target, ReadOptions options) {
    Arguments.checkPart(from, length, Arguments.notNull("target", target).length);
    ReadPath.Part part = new ReadPath.Part(from, length, target, 0);
    return reads.read(handle, key, sequence(options), options.searchScheme(), part);
  }

  /**
   * Opens the value of a key to be read in parts, or as a stream; null when it has none. Unless the
   * options have a snapshot, it is the value of now, and stays so until the reader is closed.
   */
  public @Nullable ValueReader valueReader(byte[] key, ReadOptions options) {
    return ValueReader.open(engine, handle, Arguments.notNull("key", key), options);
  }

  /** Whether a key has a value now. */
  public boolean contains(byte[] key) {
    return reads.contains(handle, key, StoreEngine.NOW, null);
  }

  /** Whether a key has a value, read with options. */
  public boolean contains(byte[] key, ReadOptions options) {
    return reads.contains(handle, key, sequence(options), options.searchScheme());
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
    return reads.multiGet(handle, keys, sequence(options), options.searchScheme());
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
    return reads.getAsync(handle, key, sequence(options), options.searchScheme(), value -> value);
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
   * The entry of a range with the smallest key, or null when there is none. With {@link
   * KeyRange#atLeast} or {@link KeyRange#greaterThan} the one at or after a key, or after it.
   */
  public @Nullable Entry firstEntry(KeyRange range) {
    return firstEntry(range, ReadOptions.DEFAULT);
  }

  /**
   * The entry of a range with the smallest key, read with options, or null when there is none.
   * Costs as much as opening a cursor and one step of it, as do all methods that find one entry.
   */
  public @Nullable Entry firstEntry(KeyRange range, ReadOptions options) {
    try (Cursor cursor = cursor(range, options)) {
      return cursor.first() ? new Entry(cursor.key(), cursor.value()) : null;
    }
  }

  /**
   * The entry of a range with the largest key, or null when there is none. With {@link
   * KeyRange#atMost} or {@link KeyRange#lessThan} the one at or before a key, or before it.
   */
  public @Nullable Entry lastEntry(KeyRange range) {
    return lastEntry(range, ReadOptions.DEFAULT);
  }

  /** The entry of a range with the largest key, read with options, or null when there is none. */
  public @Nullable Entry lastEntry(KeyRange range, ReadOptions options) {
    try (Cursor cursor = cursor(range, options)) {
      return cursor.last() ? new Entry(cursor.key(), cursor.value()) : null;
    }
  }

  /** The number of entries of a range now. */
  public long count(KeyRange range) {
    return count(range, ReadOptions.DEFAULT);
  }

  /**
   * The number of entries of a range, exactly: all their keys are read. {@link #estimate} is cheap.
   */
  public long count(KeyRange range, ReadOptions options) {
    try (Cursor cursor = cursor(range, options)) {
      long count = 0;
      while (cursor.next()) {
        count++;
      }
      return count;
    }
  }

  /**
   * About how much a range holds now, without reading it: from what is known of the SSTs, samples
   * of their keys that are kept in memory, and samples of the write buffers. It takes some
   * microseconds for each tree, and up to some milliseconds if the write buffers hold much of the
   * range. In each tree up to two parts of indexes are read if they are not in memory.
   *
   * <p>Where nothing is overwritten or deleted, the number of entries is wrong by at most two
   * blocks of each tree, those in which the range begins and ends, as long as the entries of an SST
   * are of similar size; the entries of an SST count as evenly spread over its blocks. Of the write
   * buffers up to about 2000 keys are counted, beyond that the number is wrong by some percent of
   * theirs. How much is overwritten or deleted is estimated from about 128 to 256 keys per SST: if
   * that is a large part of a range that takes several SSTs, the number is typically wrong by less
   * than 10 %; in a range within one SST the part is taken to be that of the whole SST. What a
   * range delete has removed does not count.
   *
   * <p>The bytes are those of that many entries of average size.
   */
  public RangeEstimate estimate(KeyRange range) {
    KeyRange bounds = Arguments.notNull("range", range);
    RangeEstimation estimation = reads.estimate(handle, bounds.from(), bounds.to());
    return new RangeEstimate(estimation.entries(), estimation.bytes(), estimation.fileBytes());
  }

  /**
   * Compacts everything written so far into one tree, so that deleted and overwritten data is gone
   * and reads have one tree to search, and waits for it. What is written meanwhile is flushed and
   * compacted as usual, above that tree. Early cleaning frees space while it runs; without it, as
   * much free space is needed as the database takes. A compaction that is interrupted, by {@link
   * Store#close} or a crash, is resumed when the store is opened again. With {@link
   * io.sifr.config.CompactionPolicy#fifo(long)}, which compacts nothing, it only flushes.
   */
  public void compact() {
    engine.compact(handle);
  }

  /**
   * Compacts everything written so far to a key range into one sorted run, so that deleted and
   * overwritten data there is gone, and waits for it: after many deletions in a part of the
   * database, for example. All keys are flushed, but outside of the key range nothing is compacted:
   * of SSTs that reach beyond it that part stays where it is, and as long as it does the file keeps
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

  /**
   * Adds files of an {@link SstFileWriter} to the database, see {@link Store#ingest}.
   *
   * @param files in any order; no key may be in the ranges of two of them
   */
  public void ingest(List<Path> files, IngestOptions options) {
    engine.ingest(Map.of(handle, Arguments.paths(files)), Arguments.notNull("options", options));
  }

  /** Prepares to load many entries in any order. */
  public BulkLoader.Builder bulkLoader() {
    return new BulkLoader.Builder(engine, handle);
  }

  /** The forest as it is now. */
  public ForestShape forest() {
    return engine.forestShape(handle);
  }

  /** The same database, with keys and values in buffers of Netty: their readable bytes. */
  public BufferView<ByteBuf> byteBufs() {
    return new BufferView<>(engine, handle, BufferKind.BYTE_BUF);
  }

  /** The same database, with keys and values in buffers of Java: from position to limit. */
  public BufferView<ByteBuffer> byteBuffers() {
    return new BufferView<>(engine, handle, BufferKind.BYTE_BUFFER);
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
