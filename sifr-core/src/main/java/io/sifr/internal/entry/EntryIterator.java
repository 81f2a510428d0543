package io.sifr.internal.entry;

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
}
