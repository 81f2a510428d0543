package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.sifr.internal.engine.BatchBuffer;
import io.sifr.internal.state.DatabaseHandle;

/**
 * Puts and deletes, of one or several databases of a store, that happen together: {@link
 * Store#write(WriteBatch)}. Later operations win over earlier ones on the same key. The operations
 * are copied in; at most 1 GiB of them. Not thread-safe.
 */
public final class WriteBatch {
  private final BatchBuffer operations = new BatchBuffer();

  /** An empty batch. */
  public WriteBatch() {}

  /**
   * Adds a put.
   *
   * @throws IllegalArgumentException when key or value is null or too long, or the batch would
   *     become too large
   */
  @CanIgnoreReturnValue
  public WriteBatch put(Database database, byte[] key, byte[] value) {
    operations.put(handle(database), key, value);
    return this;
  }

  /** Adds a put of the readable bytes of two buffers; their indices stay as they are. */
  @CanIgnoreReturnValue
  public WriteBatch put(Database database, ByteBuf key, ByteBuf value) {
    operations.put(handle(database), key, value);
    return this;
  }

  /** Adds a delete; that the key does not exist is no error. */
  @CanIgnoreReturnValue
  public WriteBatch delete(Database database, byte[] key) {
    operations.delete(handle(database), key);
    return this;
  }

  /** Adds a delete of the key in the readable bytes of a buffer, whose indices stay as they are. */
  @CanIgnoreReturnValue
  public WriteBatch delete(Database database, ByteBuf key) {
    operations.delete(handle(database), key);
    return this;
  }

  /** Number of operations. */
  public int size() {
    return operations.count();
  }

  /** Bytes the operations take. */
  public int bytes() {
    return operations.length();
  }

  /** Removes all operations and keeps the memory for the next ones. */
  public void clear() {
    operations.clear();
  }

  private static DatabaseHandle handle(Database database) {
    return Arguments.notNull("database", database).handle();
  }

  BatchBuffer operations() {
    return operations;
  }
}
