package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.internal.engine.conditions.Conditions;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.Snapshots;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Puts, merges, deletes and range deletes, of one or several databases of a store, that are applied
 * atomically: {@link Store#write(WriteBatch)}. Later operations override earlier ones on the same
 * key. Keys and values are copied into the batch, at most 1 GiB in all. Not thread-safe.
 *
 * <p>A batch can have conditions: of what the store holds just before the batch, whatever the batch
 * itself writes. It is applied only if all of them hold at that moment; if not, {@link Store#write}
 * throws {@link io.sifr.error.ConflictException} and writes nothing. A condition on a key costs
 * about as much as a get, some hundred bytes of memory, and, if others write to the database
 * meanwhile, up to a microsecond for which they wait.
 */
public final class WriteBatch {
  private final BatchBuffer operations = new BatchBuffer();
  private final Conditions conditions = new Conditions();

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
    operations.put(handle(database), key, value, Arguments.checkedExpiry(expireAfter));
    return this;
  }

  /** Adds a put of the bytes of two buffers, which do not change. */
  @CanIgnoreReturnValue
  public <B> WriteBatch put(BufferView<B> view, B key, B value) {
    operations.put(handle(view), view.readable("key", key), view.readable("value", value));
    return this;
  }

  /** Adds a put of the bytes of two buffers; the value expires, or is there for ever if null. */
  @CanIgnoreReturnValue
  public <B> WriteBatch put(BufferView<B> view, B key, B value, @Nullable Duration expireAfter) {
    Duration checked = Arguments.checkedExpiry(expireAfter);
    operations.put(handle(view), view.readable("key", key), view.readable("value", value), checked);
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

  /** Adds a merge of an operand in a buffer. */
  @CanIgnoreReturnValue
  public <B> WriteBatch merge(BufferView<B> view, B key, B operand) {
    operations.merge(handle(view), view.bytes("key", key), view.bytes("operand", operand));
    return this;
  }

  /** Adds a delete; no error if the key does not exist. */
  @CanIgnoreReturnValue
  public WriteBatch delete(Database database, byte[] key) {
    operations.delete(handle(database), key);
    return this;
  }

  /** Adds a delete of the key in a buffer, which does not change. */
  @CanIgnoreReturnValue
  public <B> WriteBatch delete(BufferView<B> view, B key) {
    operations.delete(handle(view), view.readable("key", key));
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

  /**
   * Requires that a key has a value.
   *
   * @throws IllegalArgumentException when key or value is null or too long
   */
  @CanIgnoreReturnValue
  public WriteBatch requireValue(Database database, byte[] key, byte[] value) {
    conditions.requireValue(
        handle(database),
        Arguments.notNull("key", key).clone(),
        Arguments.notNull("value", value).clone());
    return this;
  }

  /** Requires that a key has no value. */
  @CanIgnoreReturnValue
  public WriteBatch requireAbsent(Database database, byte[] key) {
    conditions.requireValue(handle(database), Arguments.notNull("key", key).clone(), null);
    return this;
  }

  /**
   * Requires that nobody has put or deleted a key since a snapshot, not even the value that it had
   * already, and that no range with the key was deleted. A key that had no value then, and has none
   * now, may count as unchanged although it had one in between.
   *
   * @param snapshot must be open until the batch is written; {@link Store#write} throws {@link
   *     IllegalStateException} when it is not
   * @throws IllegalArgumentException when it is of another store
   */
  @CanIgnoreReturnValue
  public WriteBatch requireUnchanged(Database database, byte[] key, Snapshot snapshot) {
    conditions.requireUnchanged(
        handle(database), Arguments.notNull("key", key).clone(), handle(snapshot, database));
    return this;
  }

  /**
   * Requires that nobody has put or deleted any key of a range since a snapshot, and that no range
   * that overlaps it was deleted; of keys that had no value then, and have none now, with the same
   * exception. Reads what the range holds in files that were written since, so it may take long for
   * a large range and an old snapshot.
   *
   * @param snapshot must be open until the batch is written; {@link Store#write} throws {@link
   *     IllegalStateException} when it is not
   * @throws IllegalArgumentException when it is of another store
   */
  @CanIgnoreReturnValue
  public WriteBatch requireUnchanged(Database database, KeyRange range, Snapshot snapshot) {
    KeyRange bounds = Arguments.notNull("range", range);
    conditions.requireUnchanged(
        handle(database), bounds.from(), bounds.to(), handle(snapshot, database));
    return this;
  }

  private static Snapshots.Handle handle(Snapshot snapshot, Database database) {
    return Arguments.notNull("snapshot", snapshot).handle(database.engine());
  }

  /** Number of operations, without conditions. */
  public int size() {
    return operations.operations().count();
  }

  /** Bytes of the operations. */
  public int bytes() {
    return operations.operations().length();
  }

  /** Removes all operations and conditions, and keeps the memory for the next ones. */
  public void clear() {
    operations.clear();
    conditions.clear();
  }

  private static DatabaseHandle handle(BufferView<?> view) {
    return Arguments.notNull("view", view).handle();
  }

  private static DatabaseHandle handle(Database database) {
    return Arguments.notNull("database", database).handle();
  }

  Conditions conditions() {
    return conditions;
  }

  BatchBuffer operations() {
    return operations;
  }
}
