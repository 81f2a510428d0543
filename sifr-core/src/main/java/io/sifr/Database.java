package io.sifr;

import io.netty.buffer.ByteBuf;
import io.sifr.config.Durability;
import io.sifr.event.ForestShape;
import io.sifr.internal.engine.DatabaseHandle;
import io.sifr.internal.engine.StoreEngine;
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
    return engine.get(handle, key, StoreEngine.NOW);
  }

  /** The value a key had at the snapshot, or null when it had none. */
  public byte @Nullable [] get(byte[] key, Snapshot snapshot) {
    return engine.get(handle, key, sequence(snapshot));
  }

  /**
   * Appends the value of a key to a buffer of the caller's, which grows when it must. Allocates
   * nothing else.
   *
   * @param key the readable bytes are the key; the indices stay as they are
   * @return whether the key has a value
   */
  public boolean get(ByteBuf key, ByteBuf target) {
    return engine.get(handle, key, StoreEngine.NOW, Arguments.notNull("target", target));
  }

  /** Appends the value a key had at the snapshot to a buffer of the caller's. */
  public boolean get(ByteBuf key, Snapshot snapshot, ByteBuf target) {
    return engine.get(handle, key, sequence(snapshot), Arguments.notNull("target", target));
  }

  /**
   * Shows the value of a key to a reader where it lies, without copying it. The buffer is read-only
   * and good only until the reader returns; a later use of it throws. The reader must be quick:
   * until it returns, space cannot be given back.
   *
   * @return whether the key has a value
   */
  public boolean read(byte[] key, Consumer<ByteBuf> reader) {
    return engine.read(handle, key, StoreEngine.NOW, Arguments.notNull("reader", reader));
  }

  /** Whether a key has a value now. */
  public boolean contains(byte[] key) {
    return engine.contains(handle, key, StoreEngine.NOW);
  }

  /** Whether a key had a value at the snapshot. */
  public boolean contains(byte[] key, Snapshot snapshot) {
    return engine.contains(handle, key, sequence(snapshot));
  }

  /** A cursor over everything as it is now. */
  public Cursor cursor() {
    return cursor(KeyRange.all());
  }

  /** A cursor over a range as it is now. */
  public Cursor cursor(KeyRange range) {
    KeyRange bounds = Arguments.notNull("range", range);
    return new Cursor(engine.openCursor(handle, StoreEngine.NOW, bounds.from(), bounds.to()));
  }

  /**
   * A cursor over a range as it was at the snapshot. The snapshot may be closed while the cursor is
   * open.
   */
  public Cursor cursor(KeyRange range, Snapshot snapshot) {
    KeyRange bounds = Arguments.notNull("range", range);
    return new Cursor(engine.openCursor(handle, sequence(snapshot), bounds.from(), bounds.to()));
  }

  /**
   * Merges everything into one tree, so that deleted and overwritten data is gone and one tree is
   * left to ask, and waits for it. Needs about as much free space as the database takes.
   */
  public void compact() {
    engine.compact(handle);
  }

  /** The forest as it is now. */
  public ForestShape forest() {
    return engine.forestShape(handle);
  }

  private long sequence(Snapshot snapshot) {
    return Arguments.notNull("snapshot", snapshot).sequence(engine);
  }

  DatabaseHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "Database[" + handle.name() + "]";
  }
}
