package io.sifr;

import io.netty.buffer.ByteBuf;
import io.sifr.config.Durability;
import io.sifr.event.ForestShape;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.state.DatabaseHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One ordered map from keys to values in a {@link Store}. Needs no closing. Safe for any number of
 * threads: reads never wait for writes or for background work.
 *
 * <p>All methods but {@link #name} throw {@link IllegalArgumentException} for a null or oversized
 * key or value, {@link IllegalStateException} after the store was closed or the database dropped,
 * and what {@link Store} names for damaged files and full disks.
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
   * @param durability what the write has survived when the call returns
   */
  public void put(byte[] key, byte[] value, Durability durability) {
    engine.put(handle, key, value, durability);
  }

  /**
   * Sets the value of a key, both the readable bytes of buffers, whose indices stay as they are.
   */
  public void put(ByteBuf key, ByteBuf value, Durability durability) {
    engine.put(handle, key, value, durability);
  }

  /** Removes a key, with the store's default durability; that it does not exist is no error. */
  public void delete(byte[] key) {
    delete(key, engine.options().durability());
  }

  /** Removes a key; that it does not exist is no error. */
  public void delete(byte[] key, Durability durability) {
    engine.delete(handle, key, durability);
  }

  /** Removes the key in the readable bytes of a buffer, whose indices stay as they are. */
  public void delete(ByteBuf key, Durability durability) {
    engine.delete(handle, key, durability);
  }

  /** The value of a key now, or null when it has none. */
  public byte @Nullable [] get(byte[] key) {
    return engine.get(handle, key, StoreEngine.NOW, null);
  }

  /** The value of a key as the options say, or null when it has none. */
  public byte @Nullable [] get(byte[] key, ReadOptions options) {
    return engine.get(handle, key, sequence(options), options.searchScheme());
  }

  /** As {@link #get(ByteBuf, ByteBuf, ReadOptions)}, of the present. */
  public boolean get(ByteBuf key, ByteBuf target) {
    return get(key, target, ReadOptions.DEFAULT);
  }

  /**
   * Appends the value of a key to a buffer of the caller's, which grows when it must. Allocates
   * nothing else.
   *
   * @param key the readable bytes are the key; the indices stay as they are
   * @return whether the key has a value
   */
  public boolean get(ByteBuf key, ByteBuf target, ReadOptions options) {
    return engine.get(
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
   * Shows the value of a key to a reader where it lies, without copying it. The buffer is read-only
   * and good only until the reader returns; a later use of it throws. The reader must be quick:
   * until it returns, space cannot be given back.
   *
   * @return whether the key has a value
   */
  public boolean read(byte[] key, Consumer<ByteBuf> reader, ReadOptions options) {
    return engine.read(
        handle,
        key,
        sequence(options),
        options.searchScheme(),
        Arguments.notNull("reader", reader));
  }

  /** Whether a key has a value now. */
  public boolean contains(byte[] key) {
    return engine.contains(handle, key, StoreEngine.NOW, null);
  }

  /** Whether a key has a value, as the options say. */
  public boolean contains(byte[] key, ReadOptions options) {
    return engine.contains(handle, key, sequence(options), options.searchScheme());
  }

  /** As {@link #multiGet(List, ReadOptions)}, of the present. */
  public List<byte @Nullable []> multiGet(List<byte[]> keys) {
    return multiGet(keys, ReadOptions.DEFAULT);
  }

  /**
   * The values of several keys, all as they were at one moment. Cheaper than one get after the
   * other when data has to be read from the disk: a block is read once for all keys in it, and with
   * any scheme but {@link io.sifr.config.SearchScheme#SERIAL} the search threads read in parallel.
   * Until it returns, space cannot be given back.
   *
   * @param keys in any order; the same key may come several times
   * @return a new list, for each key in the order given its value, or null when it has none
   * @throws io.sifr.error.SifrException when one of the keys cannot be read
   */
  public List<byte @Nullable []> multiGet(List<byte[]> keys, ReadOptions options) {
    return engine.multiGet(handle, keys, sequence(options), options.searchScheme());
  }

  /** As {@link #getAsync(byte[], ReadOptions)}, of the present. */
  public CompletableFuture<byte @Nullable []> getAsync(byte[] key) {
    return getAsync(key, ReadOptions.DEFAULT);
  }

  /**
   * The value of a key, without the calling thread waiting for the disk. What is in memory is
   * searched by the caller, and the future is complete when the call returns if that is all; what
   * has to be read is read by the search threads of the store ({@link
   * io.sifr.config.StoreOptions#searchThreads}). The value is that of the moment of the call, or at
   * the snapshot, which may be closed once the call has returned.
   *
   * <p>Any number of gets can be under way. Those that no thread is free for wait in a queue, which
   * takes some hundred bytes of memory for each, the key and its value not counted; and files that
   * merges have replaced since the first of them stay on disk until it is done.
   *
   * <p>Wrong arguments and a closed snapshot are exceptions of the call, all else fails the future:
   * with {@link IllegalStateException} when the store is closed or the database dropped before the
   * get is done. Cancelling the future saves the work if it has not begun, and harms nothing. What
   * is attached to the future runs in a search thread unless it says otherwise ({@code
   * thenApplyAsync}), so it should be quick.
   */
  public CompletableFuture<byte @Nullable []> getAsync(byte[] key, ReadOptions options) {
    return engine.getAsync(handle, key, sequence(options), options.searchScheme());
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
   * A cursor over a range, as the options say. What it sees stays the same while it is open, also
   * when the snapshot is closed meanwhile.
   */
  public Cursor cursor(KeyRange range, ReadOptions options) {
    KeyRange bounds = Arguments.notNull("range", range);
    return new Cursor(
        engine.openCursor(
            handle, sequence(options), bounds.from(), bounds.to(), options.searchScheme()));
  }

  /**
   * Merges everything that has been written so far into one tree, so that deleted and overwritten
   * data is gone and one tree is left to ask, and waits for it. What is written meanwhile is
   * flushed and merged as ever, above that tree. Early cleaning gives space back while it runs;
   * without it, the database needs as much free space as it takes. A compaction that is cut off, by
   * {@link Store#close} or a crash, goes on by itself when the store is opened again.
   */
  public void compact() {
    engine.compact(handle);
  }

  /** The forest as it is now. */
  public ForestShape forest() {
    return engine.forestShape(handle);
  }

  private long sequence(ReadOptions options) {
    return Arguments.notNull("options", options).sequence(engine);
  }

  DatabaseHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "Database[" + handle.name() + "]";
  }
}
