package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.entry.ExpiringKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over a range of a database, in both directions, and sees one state of it however long
 * that takes, unless it is {@linkplain #refresh refreshed}. A new cursor is before its first entry:
 * {@link #next} moves to it, {@link #previous} to the last.
 *
 * <pre>{@code
 * try (Cursor cursor = database.cursor(KeyRange.prefix(prefix))) {
 *   while (cursor.next()) {
 *     use(cursor.key(), cursor.value());
 *   }
 * }
 * }</pre>
 *
 * <p>For keys alone, just do not read the values: a value is never copied for a step forwards, nor
 * are values of more than 1024 bytes for one backwards, unless entries may be dropped meanwhile.
 * That is so with {@link io.sifr.config.CompactionPolicy#fifo(long)}: of a tree that is dropped
 * while the cursor is open it may see a part.
 *
 * <p>Close it: until then the versions it can see stay on disk, and a few files. One that becomes
 * unreachable without being closed is closed by the garbage collector, with a warning in the log.
 * Not thread-safe. Every method except {@link #close} throws {@link IllegalStateException} when the
 * cursor or its store was closed or its database dropped.
 */
public sealed class Cursor implements AutoCloseable permits BufferCursor {
  private final EntryCursor handle;

  Cursor(EntryCursor handle) {
    this.handle = handle;
  }

  final EntryCursor handle() {
    return handle;
  }

  /** Moves to the first entry of the range. Returns whether there is one. */
  @CanIgnoreReturnValue
  public final boolean first() {
    return handle.first();
  }

  /** Moves to the last entry of the range. Returns whether there is one. */
  @CanIgnoreReturnValue
  public final boolean last() {
    return handle.last();
  }

  /**
   * Moves to the first entry of the range at or after {@code key}. Returns whether there is one.
   */
  @CanIgnoreReturnValue
  public final boolean seek(byte[] key) {
    return handle.seek(Arguments.notNull("key", key));
  }

  /** Moves to the last entry of the range before {@code key}. Returns whether there is one. */
  @CanIgnoreReturnValue
  public final boolean seekBefore(byte[] key) {
    return handle.seekBefore(Arguments.notNull("key", key));
  }

  /**
   * Moves to the next entry; on a new cursor, or from before the first entry, to the first. Returns
   * whether there is one; if not, the cursor is after the last entry, to which {@link #previous}
   * returns.
   */
  @CanIgnoreReturnValue
  public final boolean next() {
    return handle.next();
  }

  /**
   * Moves to the previous entry; on a new cursor, or from after the last entry, to the last.
   * Returns whether there is one; if not, the cursor is before the first entry, to which {@link
   * #next} returns.
   */
  @CanIgnoreReturnValue
  public final boolean previous() {
    return handle.previous();
  }

  /** Whether the cursor is at an entry. */
  public final boolean isValid() {
    return handle.isValid();
  }

  /** A copy of the key. Only when {@link #isValid}. */
  public final byte[] key() {
    return handle.key();
  }

  /** A copy of the value. Only when {@link #isValid}. */
  public final byte[] value() {
    return handle.value();
  }

  /** Bytes of the value. Only when {@link #isValid}. */
  public final int valueLength() {
    return handle.valueLength();
  }

  /**
   * When the value expires, see {@link io.sifr.config.WriteOptions.Builder#expireAfter}. Only when
   * {@link #isValid}.
   *
   * @return null if it never does, or if the cursor's transaction has written it, whose time counts
   *     from the commit on
   */
  public final @Nullable Instant expiresAt() {
    long due = handle.due();
    return due == ExpiringKind.NEVER ? null : Instant.ofEpochMilli(due);
  }

  /**
   * Moves on to the present: from now on the cursor sees what its database holds now, and as a new
   * one it is before its first entry. To go on where it was, take a copy of the key before, and
   * {@link #seek} it afterwards.
   *
   * <p>What only the former view kept is released, as by {@link #close}. That is the purpose: a
   * cursor that is refreshed now and then can stay open for as long as its program runs. It reads
   * nothing; the next move costs as much as the first one of a new cursor. Of a store that is open
   * read only it sees the same as before.
   *
   * @throws IllegalStateException also when the cursor reads at a {@link Snapshot} or belongs to a
   *     {@link Transaction}, which has one: these do not move on. It stays as it was then
   */
  public final void refresh() {
    handle.refresh();
  }

  /** Releases what the cursor holds. It can be called more than once. */
  @Override
  public final void close() {
    handle.close();
  }
}
