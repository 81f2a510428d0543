package io.sifr.internal.entry;

import io.netty.buffer.ByteBuf;
import io.sifr.error.UnreadableException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the answer to a point query lies, filled in by the place that knew it: a memtable (an
 * array) or an SST (a buffer over its file). Reused from query to query so that a get allocates
 * nothing. Not thread-safe.
 */
public final class Lookup {
  /** What an answer lies in, if that has to be given back. */
  public interface Memory {
    /** Gives it back. It can be called more than once. */
    void release();
  }

  /** A mapping of a file in which an answer lies: its pages may turn out to be unreadable. */
  public interface Place {
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
  }

  private @Nullable Memory memory;
  private @Nullable Place place;
  private byte @Nullable [] array;
  private @Nullable ByteBuffer buffer;
  private int offset;
  private int length;
  private long trailer;

  /** The answer is a value in an array. */
  public void set(byte[] array, int offset, int length, long trailer) {
    this.array = array;
    this.buffer = null;
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
  }

  /** The answer is a value in a buffer, at absolute {@code offset}. */
  public void set(ByteBuffer buffer, int offset, int length, long trailer) {
    this.array = null;
    this.buffer = buffer;
    this.place = null;
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
  }

  /** Tells that the buffer of the answer is a mapping of a file. */
  public void liesIn(Place mapping) {
    place = mapping;
  }

  /** Takes over memory in which the answer lies, until {@link #release} or the next. */
  public void hold(Memory held) {
    Memory before = memory;
    memory = held;
    if (before != null) {
      before.release();
    }
  }

  /** Forgets the answer, and gives back the memory it lies in. It can be called more than once. */
  public void release() {
    array = null;
    buffer = null;
    place = null;
    Memory held = memory;
    if (held != null) {
      memory = null;
      held.release();
    }
  }

  /** Takes over the answer of another lookup, and its memory; that one is left with nothing. */
  public void take(Lookup other) {
    release();
    array = other.array;
    buffer = other.buffer;
    place = other.place;
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
    byte[] value = new byte[length];
    copyTo(value, 0);
    return value;
  }

  /** Copies the value found to {@code target} from {@code targetOffset} on. */
  public void copyTo(byte[] target, int targetOffset) {
    if (array != null) {
      System.arraycopy(array, offset, target, targetOffset, length);
    } else if (buffer != null) {
      copyFrom(buffer, target, targetOffset);
    } else {
      throw new IllegalStateException("nothing was found");
    }
  }

  /** Appends the value found to a buffer. */
  public void copyTo(ByteBuf target) {
    if (array != null) {
      target.writeBytes(array, offset, length);
    } else if (buffer != null) {
      target.ensureWritable(length);
      if (place == null) {
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
    Place mapping = place;
    if (mapping == null) {
      source.get(offset, target, targetOffset, length);
    } else {
      mapping.copy(offset, target, targetOffset, length);
    }
  }

  /**
   * Shows the value found to a reader, as a read-only view that is valid meanwhile.
   *
   * @throws UnreadableException when some of it cannot be read; the reader may have seen garbage
   */
  public void show(Consumer<ByteBuffer> reader) {
    Place mapping = place;
    if (mapping == null) {
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
    if (array != null) {
      return ByteBuffer.wrap(array, offset, length).slice().asReadOnlyBuffer();
    }
    if (buffer != null) {
      return buffer.slice(offset, length).asReadOnlyBuffer();
    }
    throw new IllegalStateException("nothing was found");
  }
}
