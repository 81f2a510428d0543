package io.sifr.internal.entry;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
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

  private @Nullable Memory memory;
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
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
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

  /** Copies the value found to {@code target} from {@code targetOffset} on. */
  public void copyTo(byte[] target, int targetOffset) {
    if (array != null) {
      System.arraycopy(array, offset, target, targetOffset, length);
    } else if (buffer != null) {
      buffer.get(offset, target, targetOffset, length);
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
      target.setBytes(target.writerIndex(), buffer.slice(offset, length));
      target.writerIndex(target.writerIndex() + length);
    } else {
      throw new IllegalStateException("nothing was found");
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
