package io.sifr.internal.entry;

import io.netty.buffer.ByteBuf;
import io.sifr.error.UnreadableException;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A point query: the key and sequence number to look up, and then the location of the answer,
 * filled in by the source that held it: a memtable (an array) or an SST (a buffer over its file).
 * One object serves both purposes, so that a get needs no second one. Not thread-safe.
 */
public final class Lookup {
  /** The memory of an answer, if it must be released. */
  public interface Memory {
    /** Releases it. Idempotent. */
    void release();
  }

  /** A file mapping that holds an answer: its pages may turn out to be unreadable. */
  public interface Mapping extends Memory {
    /**
     * Copies a value.
     *
     * @throws UnreadableException when some of it cannot be read
     */
    void copy(int at, byte[] target, int offset, int length);

    /**
     * Must be called after a value was read in place.
     *
     * @throws InternalError when some of it could not be read
     */
    void read();

    /** The exception for an error that the JVM raised because a page could not be read. */
    UnreadableException unreadableAt(int at, InternalError e);

    /** A mapping needs no release. */
    @Override
    default void release() {}
  }

  private final byte[] key;
  private final int keyOffset;
  private final int keyLength;

  /** Holds the value: an array, or a {@link ByteBuffer}; null when nothing was found. */
  private @Nullable Object value;

  private int offset;
  private int length;

  /** The memory {@link #value} is part of, if it is a buffer. */
  private @Nullable Memory memory;

  /**
   * Trailer of the version found; before that, {@link Trailer#seek} of the sequence number to look
   * up.
   */
  private long trailer;

  /** Whether a reference to a separated value is an answer. */
  private boolean takesReferences;

  private int trees;
  private int blocks;

  /** A lookup that only receives answers. */
  public Lookup() {
    this(Bytes.EMPTY, 0, 0);
  }

  /** A query for a key; {@link #lookFor} sets the sequence number. */
  public Lookup(byte[] key, int offset, int length) {
    this.key = key;
    this.keyOffset = offset;
    this.keyLength = length;
  }

  /**
   * The same for a reader that reads separated values itself: the answer may be a reference.
   *
   * @see SeparatedKind
   */
  public static Lookup takingReferences(byte[] key, int offset, int length) {
    Lookup lookup = new Lookup(key, offset, length);
    lookup.takesReferences = true;
    return lookup;
  }

  /** Whether a reference to a separated value is an answer. */
  public boolean takesReferences() {
    return takesReferences;
  }

  /** Looks for the newest version whose sequence number is at most that. */
  public void lookFor(long sequence) {
    trailer = Trailer.seek(sequence);
  }

  /** Looks for the next older version than the one found. Returns whether there can be one. */
  public boolean lookForOlder() {
    long sequence = sequence();
    lookFor(Math.max(0, sequence - 1));
    return sequence > 0;
  }

  /**
   * Adds to what was searched for the key, whatever the answer.
   *
   * @param moreTrees trees with an SST whose range includes the key
   * @param moreBlocks blocks of those that were searched
   */
  public void searched(int moreTrees, int moreBlocks) {
    trees += moreTrees;
    blocks += moreBlocks;
  }

  /** Trees with an SST whose range includes the key, as far as they were searched. */
  public int searchedTrees() {
    return trees;
  }

  /** Blocks that were searched for the key. */
  public int searchedBlocks() {
    return blocks;
  }

  /** Array that holds the key at {@link #keyOffset} with {@link #keyLength}. */
  public byte[] key() {
    return key;
  }

  /** Where in {@link #key} the key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  public int keyLength() {
    return keyLength;
  }

  /** The sequence number to look up, or that of the version found. */
  public long sequence() {
    return Trailer.sequence(trailer);
  }

  /** Sets the answer: a value in an array. */
  public void set(byte[] array, int offset, int length, long trailer) {
    this.value = array;
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
  }

  /** Sets the answer: the value that several versions resolve to, or null for none. */
  public void set(long sequence, byte @Nullable [] resolved) {
    byte[] bytes = resolved == null ? Bytes.EMPTY : resolved;
    EntryKind kind = resolved == null ? EntryKind.DELETE : EntryKind.PUT;
    set(bytes, 0, bytes.length, Trailer.of(sequence, kind));
  }

  /** Sets the answer: a value in a buffer, at absolute {@code offset}. */
  public void set(ByteBuffer buffer, int offset, int length, long trailer) {
    if (memory instanceof Mapping) {
      memory = null;
    }
    this.value = buffer;
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
  }

  /**
   * Takes ownership of the memory of the answer's buffer, until {@link #release} or the next
   * answer.
   */
  public void hold(Memory held) {
    Memory before = memory;
    memory = held;
    if (before != null) {
      before.release();
    }
  }

  /** Clears the answer and releases its memory. Idempotent. */
  public void release() {
    value = null;
    Memory held = memory;
    if (held != null) {
      memory = null;
      held.release();
    }
  }

  /** Moves the answer of another lookup, and its memory, to this one. */
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

  /** Whether the answer is a tombstone. */
  public boolean isTombstone() {
    return Trailer.isTombstone(trailer);
  }

  /** Whether the answer is a reference to a separated value. */
  public boolean isReference() {
    return Trailer.kind(trailer) == SeparatedKind.CODE;
  }

  /** Length of the value found; 0 for a tombstone. */
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

  /** Copies some bytes of the value found, from one of them on. */
  public void copyPart(int from, int count, byte[] target, int targetOffset) {
    int begin = offset;
    int whole = length;
    offset += from;
    length = count;
    try {
      copyTo(target, targetOffset);
    } finally {
      offset = begin;
      length = whole;
    }
  }

  /** Appends the value found to a buffer, which has room for it. */
  public void copyTo(ByteBuf target) {
    if (value instanceof byte[] array) {
      target.writeBytes(array, offset, length);
    } else if (value instanceof ByteBuffer buffer) {
      target.ensureWritable(length);
      if (!(memory instanceof Mapping)) {
        target.setBytes(target.writerIndex(), buffer.slice(offset, length));
      } else if (target.hasArray()) {
        copyFrom(buffer, target.array(), target.arrayOffset() + target.writerIndex());
      } else {
        int end = target.writerIndex();
        show(view -> target.setBytes(end, view));
      }
      target.writerIndex(target.writerIndex() + length);
    } else {
      throw new IllegalStateException("nothing was found");
    }
  }

  private void copyFrom(ByteBuffer source, byte[] target, int targetOffset) {
    if (memory instanceof Mapping mapping) {
      mapping.copy(offset, target, targetOffset, length);
    } else {
      source.get(offset, target, targetOffset, length);
    }
  }

  /**
   * Passes the value found to a reader, as a read-only view that is valid during the call.
   *
   * @throws UnreadableException when some of it cannot be read; the reader may have seen garbage
   */
  public void show(Consumer<ByteBuffer> reader) {
    if (!(memory instanceof Mapping mapping)) {
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

  /** The value found as a read-only view, valid as long as the memory it is in. */
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
