package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.BatchBuffer;
import io.sifr.internal.state.DatabaseHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Puts, merges, deletes and range deletes, of one or several databases of a store, that are applied
 * atomically: {@link Store#write(WriteBatch)}. Later operations override earlier ones on the same
 * key. Keys and values are copied into the batch, at most 1 GiB in all. Not thread-safe.
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

  /**
   * Adds a put of a value that expires, see {@link
   * io.sifr.config.WriteOptions.Builder#expireAfter}. The time counts from this call on.
   *
   * @param expireAfter how long it is there; null for ever, whatever the database says
   * @throws IllegalArgumentException when key or value is null or too long, the time is not
   *     allowed, or the batch would become too large
   */
  @CanIgnoreReturnValue
  public WriteBatch put(
      Database database, byte[] key, byte[] value, @Nullable Duration expireAfter) {
    Duration checked =
        expireAfter == null ? null : WriteOptions.expiringAfter(expireAfter).expireAfter();
    operations.put(handle(database), key, value, checked);
    return this;
  }

  /** Adds a put of the readable bytes of two buffers, whose indices do not change. */
  @CanIgnoreReturnValue
  public WriteBatch put(Database database, ByteBuf key, ByteBuf value) {
    operations.put(handle(database), key, value);
    return this;
  }

  /**
   * Adds a merge, as {@link Database#merge(byte[], byte[])}.
   *
   * @throws IllegalArgumentException when key or operand is null or too long, the operator refuses
   *     the operand, or the batch would become too large
   * @throws IllegalStateException when the database has no merge operator
   * @throws io.sifr.error.MergeOperatorException when it is not registered
   */
  @CanIgnoreReturnValue
  public WriteBatch merge(Database database, byte[] key, byte[] operand) {
    operations.merge(handle(database), key, operand);
    return this;
  }

  /** Adds a delete; no error if the key does not exist. */
  @CanIgnoreReturnValue
  public WriteBatch delete(Database database, byte[] key) {
    operations.delete(handle(database), key);
    return this;
  }

  /** Adds a delete of the key in the readable bytes of a buffer, whose indices do not change. */
  @CanIgnoreReturnValue
  public WriteBatch delete(Database database, ByteBuf key) {
    operations.delete(handle(database), key);
    return this;
  }

  /**
   * Adds a delete of all keys of a range, as {@link Database#deleteRange(KeyRange)}. What the batch
   * put into the range before is deleted, too; what it puts there afterwards is not. Adds nothing
   * if the range is empty.
   *
   * @throws IllegalArgumentException when the range is null, one of its bounds has more than 65536
   *     bytes, or the batch would become too large
   */
  @CanIgnoreReturnValue
  public WriteBatch deleteRange(Database database, KeyRange range) {
    KeyRange bounds = Arguments.notNull("range", range);
    operations.deleteRange(handle(database), bounds.from(), bounds.to());
    return this;
  }

  /** Number of operations. */
  public int size() {
    return operations.operations().count();
  }

  /** Bytes of the operations. */
  public int bytes() {
    return operations.operations().length();
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
