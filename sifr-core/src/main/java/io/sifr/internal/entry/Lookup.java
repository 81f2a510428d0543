package io.sifr.internal.entry;

import io.netty.buffer.ByteBuf;
import io.sifr.error.UnreadableException;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A point query: the key and sequence number that are looked for, and then where the answer lies,
 * filled in by the place that knew it: a memtable (an array) or an SST (a buffer over its file).
 * One object for both, so that a get needs no second. Not thread-safe.
 */
public final class Lookup {
  /** What an answer lies in, if that has to be given back. */
  public interface Memory {
    /** Gives it back. It can be called more than once. */
    void release();
  }

  /** A mapping of a file in which an answer lies: its pages may turn out to be unreadable. */
  public interface Place extends Memory {
    /**
     * Copies a value.
     *
     * @throws UnreadableException when some of it cannot be read
     */
    void copy(int at, byte[] target, int offset, int length);

    /**
     * To be called when a value was read where it lies.
     *
     * @throws InternalError when some of it could not be read
     */
    void read();

    /** The exception for an error that the JVM raised because a page could not be delivered. */
    UnreadableException unreadableAt(int at, InternalError e);

    /** A mapping is not given back. */
    @Override
    default void release() {}
  }

  private final byte[] key;
  private final int keyOffset;
  private final int keyLength;

  /** What the value lies in: an array, or a {@link ByteBuffer}; null when nothing was found. */
  private @Nullable Object value;

  private int offset;
  private int length;

  /** What {@link #value} is part of, when that is a buffer. */
  private @Nullable Memory memory;

  /** Of the version found; before that {@link Trailer#seek} of the sequence number looked for. */
  private long trailer;

  /** For answers alone. */
  public Lookup() {
    this(Bytes.EMPTY, 0, 0);
  }

  /** A query for a key, at no sequence number yet, see {@link #lookFor}. */
  public Lookup(byte[] key, int offset, int length) {
    this.key = key;
    this.keyOffset = offset;
    this.keyLength = length;
  }

  /** Asks for the newest version whose sequence number is at most that. */
  public void lookFor(long sequence) {
    trailer = Trailer.seek(sequence);
  }

  /** Asks for the next older version than the one found. Returns whether there can be one. */
  public boolean lookForOlder() {
    long sequence = sequence();
    lookFor(Math.max(0, sequence - 1));
    return sequence > 0;
  }

  /** Array that holds the key looked for at {@link #keyOffset} with {@link #keyLength}. */
  public byte[] key() {
    return key;
  }

  /** Where in {@link #key} the key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Bytes of the key. */
  public int keyLength() {
    return keyLength;
  }

  /** The sequence number looked for, or that of the version found. */
  public long sequence() {
    return Trailer.sequence(trailer);
  }

  /** The answer is a value in an array. */
  public void set(byte[] array, int offset, int length, long trailer) {
    this.value = array;
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
  }

  /** The answer is a value that several versions come to, or null for none. */
  public void set(long sequence, byte @Nullable [] resolved) {
    byte[] bytes = resolved == null ? Bytes.EMPTY : resolved;
    EntryKind kind = resolved == null ? EntryKind.DELETE : EntryKind.PUT;
    set(bytes, 0, bytes.length, Trailer.of(sequence, kind));
  }

  /** The answer is a value in a buffer, at absolute {@code offset}. */
  public void set(ByteBuffer buffer, int offset, int length, long trailer) {
    if (memory instanceof Place) {
      memory = null;
    }
    this.value = buffer;
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
  }

  /** Takes over what the buffer of the answer is part of, until {@link #release} or the next. */
  public void hold(Memory held) {
    Memory before = memory;
    memory = held;
    if (before != null) {
      before.release();
    }
  }

  /** Forgets the answer, and gives back the memory it lies in. It can be called more than once. */
  public void release() {
    value = null;
    Memory held = memory;
    if (held != null) {
      memory = null;
      held.release();
    }
  }

  /** Takes over the answer of another lookup, and its memory; that one is left with nothing. */
  public void take(Lookup other) {
    release();
    value = other.value;
    offset = other.offset;
    length = other.length;
    trailer = other.trailer;
    memory = other.memory;
    other.memory = null;
    other.release();
  }

  /** Sequence number and kind of the entry found. */
  public long trailer() {
    return trailer;
  }

  /** Whether the key was found to be deleted. */
  public boolean isTombstone() {
    return Trailer.isTombstone(trailer);
  }

  /** Bytes of the value found; 0 for a tombstone. */
  public int length() {
    return length;
  }

  /** A copy of the value found. */
  public byte[] copy() {
    byte[] copy = new byte[length];
    copyTo(copy, 0);
    return copy;
  }

  /** Copies the value found to {@code target} from {@code targetOffset} on. */
  public void copyTo(byte[] target, int targetOffset) {
    if (value instanceof byte[] array) {
      System.arraycopy(array, offset, target, targetOffset, length);
    } else if (value instanceof ByteBuffer buffer) {
      copyFrom(buffer, target, targetOffset);
    } else {
      throw new IllegalStateException("nothing was found");
    }
  }

  /** Appends the value found to a buffer. */
  public void copyTo(ByteBuf target) {
    if (value instanceof byte[] array) {
      target.writeBytes(array, offset, length);
    } else if (value instanceof ByteBuffer buffer) {
      target.ensureWritable(length);
      if (!(memory instanceof Place)) {
        target.setBytes(target.writerIndex(), buffer.slice(offset, length));
      } else if (target.hasArray()) {
        copyFrom(buffer, target.array(), target.arrayOffset() + target.writerIndex());
      } else {
        byte[] copy = new byte[length];
        copyFrom(buffer, copy, 0);
        target.setBytes(target.writerIndex(), copy);
      }
      target.writerIndex(target.writerIndex() + length);
    } else {
      throw new IllegalStateException("nothing was found");
    }
  }

  private void copyFrom(ByteBuffer source, byte[] target, int targetOffset) {
    if (memory instanceof Place mapping) {
      mapping.copy(offset, target, targetOffset, length);
    } else {
      source.get(offset, target, targetOffset, length);
    }
  }

  /**
   * Shows the value found to a reader, as a read-only view that is valid meanwhile.
   *
   * @throws UnreadableException when some of it cannot be read; the reader may have seen garbage
   */
  public void show(Consumer<ByteBuffer> reader) {
    if (!(memory instanceof Place mapping)) {
      reader.accept(view());
      return;
    }
    try {
      try {
        reader.accept(view());
      } finally {
        mapping.read();
      }
    } catch (InternalError e) {
      throw mapping.unreadableAt(offset, e);
    }
  }

  /** The value found as a read-only view, valid as long as the place it lies in. */
  public ByteBuffer view() {
    if (value instanceof byte[] array) {
      return ByteBuffer.wrap(array, offset, length).slice().asReadOnlyBuffer();
    }
    if (value instanceof ByteBuffer buffer) {
      return buffer.slice(offset, length).asReadOnlyBuffer();
    }
    throw new IllegalStateException("nothing was found");
  }
}
