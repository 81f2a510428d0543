package io.sifr.internal.entry;

import org.jspecify.annotations.Nullable;

/** A {@link ForwardIterator} that also seeks and moves backwards. Not thread-safe. */
public interface EntryIterator extends ForwardIterator {
  /** Moves to the last entry of all. */
  boolean seekToLast();

  /**
   * Moves to the first entry at or after (key, trailer) in internal order: with {@link
   * Trailer#seek} the newest version of the key that a reader at that sequence may see, or else the
   * next entry after it.
   */
  boolean seek(byte[] key, int offset, int length, long trailer);

  /**
   * Moves to the last entry whose user key is smaller than {@code key}: the oldest version of the
   * preceding key.
   */
  boolean seekBefore(byte[] key, int offset, int length);

  /** Moves to a target. Returns whether there is an entry. */
  default boolean seek(SeekTarget to) {
    return switch (to.kind()) {
      case FIRST -> seekToFirst();
      case LAST -> seekToLast();
      case AT_KEY -> seek(to.key(), to.offset(), to.length(), to.trailer());
      case BEFORE_KEY -> seekBefore(to.key(), to.offset(), to.length());
    };
  }

  /** Whether it can move to a target without I/O, as far as is known. */
  default boolean isInMemory(SeekTarget to) {
    return true;
  }

  /**
   * Whether it is positioned on an entry, and not where entries may be that cannot be read: from
   * there a step forwards or backwards would pass all of them. Only when {@link #valid}.
   */
  default boolean isReadable() {
    return true;
  }

  /** Moves to the previous entry. Only when {@link #valid}. */
  boolean previous();

  /**
   * Moves to the next entry, or past entries that are of no interest, if that is faster than to
   * step over them: those before a key that have smaller sequence numbers than some. Only when
   * {@link #valid}.
   *
   * @param sequence smallest number that is of interest before the key
   * @param to the first key of which all is of interest; null: there is none
   */
  default boolean nextFrom(long sequence, byte @Nullable [] to) {
    return next();
  }

  /**
   * Moves to the previous entry, or past entries that are of no interest, as {@link #nextFrom}.
   *
   * @param sequence smallest number that is of interest at or after the key
   * @param from the key before which all is of interest
   */
  default boolean previousFrom(long sequence, byte[] from) {
    return previous();
  }
}
