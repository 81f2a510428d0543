package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
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
  default boolean seek(Target to) {
    return switch (to.kind()) {
      case FIRST -> seekToFirst();
      case LAST -> seekToLast();
      case AT_KEY -> seek(to.key(), to.offset(), to.length(), to.trailer());
      case BEFORE_KEY -> seekBefore(to.key(), to.offset(), to.length());
    };
  }

  /** Whether it can move to a target without I/O, as far as is known. */
  default boolean isInMemory(Target to) {
    return true;
  }

  /**
   * Has the system begin to read what it needs to move to a target, without waiting for it.
   *
   * @return false when it cannot say what that is
   */
  default boolean announce(Target to) {
    return false;
  }

  /**
   * Gets ready for a seek to a target, which is about to come, if that can be done without I/O; and
   * touches what {@link #locate} will read, so that the processor loads it while other iterators do
   * the same.
   *
   * @return a sum of what was touched, which has no meaning; 0 if it does not get ready
   */
  default long prepare(Target to) {
    return 0;
  }

  /** After {@link #prepare}: finds what the seek will read first. */
  default void locate(Target to, Lines into) {}

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

  /**
   * The target of a seek, the same for all children of a compacting iterator. Immutable, but its
   * key is the caller's array.
   */
  public static final class Target {
    /** See {@link EntryIterator#seekToFirst}. */
    public static final Target FIRST = new Target(Kind.FIRST, Bytes.EMPTY, 0, 0, 0);

    /** See {@link EntryIterator#seekToLast}. */
    public static final Target LAST = new Target(Kind.LAST, Bytes.EMPTY, 0, 0, 0);

    /** The kinds of targets. */
    public enum Kind {
      /** The first entry of all. */
      FIRST,
      /** The last entry of all. */
      LAST,
      /** The first entry at or after a key. */
      AT_KEY,
      /** The last entry before a key. */
      BEFORE_KEY
    }

    private final Kind kind;
    private final byte[] key;
    private final int offset;
    private final int length;
    private final long trailer;

    private Target(Kind kind, byte[] key, int offset, int length, long trailer) {
      this.kind = kind;
      this.key = key;
      this.offset = offset;
      this.length = length;
      this.trailer = trailer;
    }

    /** See {@link EntryIterator#seek}. */
    public static Target at(byte[] key, int offset, int length, long trailer) {
      return new Target(Kind.AT_KEY, key, offset, length, trailer);
    }

    /** See {@link EntryIterator#seekBefore}. */
    public static Target before(byte[] key, int offset, int length) {
      long newest = Trailer.seek(Trailer.MAX_SEQUENCE);
      return new Target(Kind.BEFORE_KEY, key, offset, length, newest);
    }

    /** The kind of the target. */
    public Kind kind() {
      return kind;
    }

    /** Array with the key; unused for the first and the last entry. */
    public byte[] key() {
      return key;
    }

    /** Where in the array the key begins. */
    public int offset() {
      return offset;
    }

    /** Length of the key. */
    public int length() {
      return length;
    }

    /** The trailer that comes with the key. */
    public long trailer() {
      return trailer;
    }

    /** Whether it has that key, in the same array, and that trailer. */
    public boolean isAt(byte[] array, int from, int bytes, long itsTrailer) {
      return key == array && offset == from && length == bytes && trailer == itsTrailer;
    }

    /** Sequence number of the newest version that is at or after the target. */
    public long sequence() {
      return Trailer.sequence(trailer);
    }
  }

  /** Lines of memory that are about to be read, and are loaded all at the same time. */
  public static final class Lines {
    private ByteBuffer[] buffers = new ByteBuffer[16];
    private int[] offsets = new int[buffers.length];
    private int count;

    /** Adds the line at an offset of a buffer, of which eight bytes can be read. */
    public void add(ByteBuffer buffer, int offset) {
      if (count == offsets.length) {
        buffers = Arrays.copyOf(buffers, 2 * count);
        offsets = Arrays.copyOf(offsets, 2 * count);
      }
      buffers[count] = buffer;
      offsets[count] = offset;
      count++;
    }

    /** Whether there are none. */
    public boolean isEmpty() {
      return count == 0;
    }

    /**
     * Touches them. Nothing that it executes depends on what it has read, so the processor waits
     * for all of them together.
     *
     * @return a sum of what was touched, which has no meaning
     */
    public long touch() {
      long sum = 0;
      for (int i = 0; i < count; i++) {
        sum += buffers[i].getLong(offsets[i]);
      }
      return sum;
    }
  }

  /** A copy of a key that stays valid when its iterator moves. The underlying array is reused. */
  static final class KeyCopy {
    /** Keys up to this length are copied as longs. */
    private static final int SHORT_KEY = 4 * Long.BYTES;

    private byte[] array = new byte[2 * SHORT_KEY];
    private int length;

    /** Copies the iterator's current key. */
    void set(EntryIterator iterator) {
      set(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
    }

    /** Copies a key. */
    void set(byte[] from, int offset, int newLength) {
      length = newLength;
      if (newLength <= SHORT_KEY && from.length - offset >= SHORT_KEY) {
        for (int i = 0; i < SHORT_KEY; i += Long.BYTES) {
          Bytes.putLong(array, i, Bytes.getLong(from, offset + i));
        }
        return;
      }
      if (array.length < newLength) {
        array = new byte[Math.max(newLength, 2 * array.length)];
      }
      System.arraycopy(from, offset, array, 0, newLength);
    }

    byte[] array() {
      return array;
    }

    int length() {
      return length;
    }

    /** Whether the iterator's current entry has this key. */
    boolean isKeyOf(EntryIterator iterator) {
      return equalTo(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
    }

    /** Whether this equals that key. */
    boolean equalTo(byte[] other, int offset, int otherLength) {
      if (length != otherLength) {
        return false;
      }
      // Successive keys usually differ at their ends.
      int end = length - Long.BYTES;
      if (end >= 0 && Bytes.getLong(array, end) != Bytes.getLong(other, offset + end)) {
        return false;
      }
      return Arrays.equals(array, 0, length, other, offset, offset + otherLength);
    }

    /** Number of leading bytes that this key has in common with the iterator's current key. */
    int commonPrefix(EntryIterator iterator) {
      return Bytes.commonPrefix(
          array, 0, length, iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
    }

    /**
     * Whether another key, which equals this one in the bytes before an index, also equals it in
     * the bytes before a larger index.
     */
    boolean beginsLike(byte[] other, int offset, int otherLength, int from, int to) {
      if (otherLength < to) {
        return false;
      }
      if (other.length - offset < Long.BYTES) {
        return Arrays.equals(array, from, to, other, offset + from, offset + to);
      }
      // Longs may begin before the first index, where the keys are equal.
      for (int end = to; end > from; end -= Long.BYTES) {
        int start = Math.max(0, end - Long.BYTES);
        long difference = Bytes.getLong(array, start) ^ Bytes.getLong(other, offset + start);
        if (difference >>> (Byte.SIZE * (start + Long.BYTES - end)) != 0) {
          return false;
        }
      }
      return true;
    }

    /** Compares this key with the iterator's current key: negative when it is smaller. */
    int compareTo(EntryIterator iterator) {
      return Bytes.compare(
          array, 0, length, iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
    }
  }

  /** Base of iterators that hold their current key. */
  public abstract static class Positioned implements ForwardIterator {
    protected boolean valid;
    protected byte[] key;
    protected int keyOffset;
    protected int keyLength;

    protected Positioned(byte[] key) {
      this.key = key;
    }

    /** Moves to a key. Returns true. */
    protected final boolean positionAt(byte[] array, int offset, int length) {
      key = array;
      keyOffset = offset;
      keyLength = length;
      valid = true;
      return true;
    }

    /** Becomes invalid. Returns false. */
    protected final boolean leave() {
      valid = false;
      return false;
    }

    protected static IllegalStateException notPositioned() {
      return new IllegalStateException("the iterator is not positioned on an entry");
    }

    protected final void requireValid() {
      if (!valid) {
        throw notPositioned();
      }
    }

    @Override
    public final boolean valid() {
      return valid;
    }

    @Override
    public final byte[] keyArray() {
      return key;
    }

    @Override
    public final int keyOffset() {
      return keyOffset;
    }

    @Override
    public final int keyLength() {
      return keyLength;
    }
  }
}
