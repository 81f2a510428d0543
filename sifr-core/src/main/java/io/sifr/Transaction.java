package io.sifr;

import io.sifr.config.Isolation;
import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.transaction.TransactionHandle;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes of one or several databases that happen together, at the moment of {@link
 * #commit()}, or not at all. It reads the state of the store at which it began, and its own writes;
 * nobody sees these before the commit, and nothing of them is in the store's log or memory. Begun
 * by {@link Store#beginTransaction()}; {@link Store#inTransaction} also begins again after
 * conflicts.
 *
 * <pre>{@code
 * try (Transaction transaction = store.beginTransaction()) {
 *   byte[] balance = transaction.get(accounts, key);
 *   transaction.put(accounts, key, less(balance));
 *   transaction.put(log, next, entry);
 *   transaction.commit();
 * }
 * }</pre>
 *
 * <p>Transactions are <em>optimistic</em>: none locks anything or waits for another. The commit
 * fails with {@link io.sifr.error.ConflictException} if somebody else, in a transaction or not, has
 * written meanwhile to a key that it has written (a range that it deletes counts as all keys of it)
 * or that was {@linkplain #requireUnchanged required to be unchanged}; with {@link
 * Isolation#SERIALIZABLE} also to one that it has read. Of several transactions with the same keys
 * the first one to commit succeeds.
 *
 * <p>What it writes is copied to the heap until it ends, and with {@code SERIALIZABLE} the keys
 * that it reads, where keys that a cursor passes one after the other are a range: about a hundred
 * bytes for each besides its keys and value, and 1 GiB in all, beyond which {@link
 * IllegalArgumentException} is thrown. Reads of what was not written cost as much as at a {@link
 * Snapshot}, which it holds: keep it short.
 *
 * <p>Close it; without a commit that forgets what was written. After the commit, whether it
 * succeeded or not, and after {@link #close} every other method throws {@link
 * IllegalStateException}. Not thread-safe.
 */
public final class Transaction implements AutoCloseable {
  private final TransactionHandle handle;
  private final WriteOptions options;

  Transaction(TransactionHandle handle, WriteOptions options) {
    this.handle = handle;
    this.options = options;
  }

  /** The value of a key, or null when it has none. */
  public byte @Nullable [] get(Database database, byte[] key) {
    return handle.get(of(database).handle(), key);
  }

  /**
   * The values of several keys of any order, read together.
   *
   * @return in the order of the keys; null where there is none
   */
  public List<byte @Nullable []> multiGet(Database database, List<byte[]> keys) {
    return handle.multiGet(of(database).handle(), Arguments.notNull("keys", keys));
  }

  /** Whether a key has a value. */
  public boolean contains(Database database, byte[] key) {
    return handle.contains(of(database).handle(), key);
  }

  /** Sets the value of a key. */
  public void put(Database database, byte[] key, byte[] value) {
    handle.put(of(database).handle(), key, value);
  }

  /**
   * Sets the value of a key, which expires. The time counts from the commit on; the transaction
   * itself reads the value until it ends.
   *
   * @param expireAfter how long it is there; null: for ever, whatever the database says
   * @throws IllegalArgumentException also when the time is not allowed, see {@link
   *     io.sifr.config.WriteOptions.Builder#expireAfter}
   */
  public void put(Database database, byte[] key, byte[] value, @Nullable Duration expireAfter) {
    handle.put(of(database).handle(), key, value, Arguments.checkedExpiry(expireAfter));
  }

  /**
   * Merges an operand into the value of a key, as {@link Database#merge(byte[], byte[])}. It reads
   * the key, and conflicts with other writes to it, as {@link #put(Database, byte[], byte[])}.
   *
   * @throws IllegalArgumentException also when the operator refuses the operand
   * @throws IllegalStateException also when the database has no operator
   * @throws io.sifr.error.MergeOperatorException when its operator is not registered, or fails
   */
  public void merge(Database database, byte[] key, byte[] operand) {
    handle.merge(of(database).handle(), key, operand);
  }

  /** Removes a key; no error if it does not exist. */
  public void delete(Database database, byte[] key) {
    handle.delete(of(database).handle(), key);
  }

  /** Removes all keys of a range, as {@link Database#deleteRange(KeyRange)}. */
  public void deleteRange(Database database, KeyRange range) {
    KeyRange bounds = Arguments.notNull("range", range);
    handle.deleteRange(of(database).handle(), bounds.from(), bounds.to());
  }

  /** A cursor over everything. */
  public Cursor cursor(Database database) {
    return cursor(database, KeyRange.all());
  }

  /**
   * A cursor over a range. Each of its moves sees all that the transaction has written before it;
   * the entry at which the cursor is stays the same until it moves. Close it. When the transaction
   * has ended it cannot be used any more.
   */
  public Cursor cursor(Database database, KeyRange range) {
    return new Cursor(entries(of(database).handle(), range));
  }

  /** As {@link #cursor(Database, KeyRange)}, with buffers. */
  public <B> BufferCursor<B> cursor(BufferView<B> view, KeyRange range) {
    BufferView<B> given = Arguments.notNull("view", view);
    return new BufferCursor<>(entries(given.handle(), range), given.kind());
  }

  private EntryCursor entries(DatabaseHandle database, KeyRange range) {
    KeyRange bounds = Arguments.notNull("range", range);
    return handle.cursor(database, bounds.from(), bounds.to());
  }

  /**
   * Requires that nobody writes to a key between the beginning of the transaction and its commit:
   * with {@link Isolation#SNAPSHOT} for a key that it only reads, and on whose value depends what
   * it writes.
   */
  public void requireUnchanged(Database database, byte[] key) {
    handle.requireUnchanged(of(database).handle(), key);
  }

  /** Commits with the durability that it was begun with. */
  public void commit() {
    commit(options);
  }

  /**
   * Writes all that the transaction has written, as one batch, and ends it. If it has written
   * nothing, nothing is checked but what was required to be unchanged.
   *
   * @throws io.sifr.error.ConflictException when somebody else has written to keys that had to be
   *     unchanged; nothing was written
   * @throws io.sifr.error.StallTimeoutException when it would be held back for longer than the
   *     options allow; nothing was written
   */
  public void commit(WriteOptions options) {
    handle.commit(Arguments.withoutExpiry(options));
  }

  /** Whether it was neither committed nor closed. */
  public boolean isOpen() {
    return handle.isOpen();
  }

  /** Ends it, and forgets what was written unless it was committed. It can be called repeatedly. */
  @Override
  public void close() {
    handle.close();
  }

  TransactionHandle handle() {
    return handle;
  }

  private static Database of(Database database) {
    return Arguments.notNull("database", database);
  }
}
