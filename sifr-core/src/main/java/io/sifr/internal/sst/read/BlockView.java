package io.sifr.internal.sst.read;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.EntryHeader.Varint56;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.SstTail;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.sst.format.StoredBlock.BlockTrailer;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The raw form of a block, as a search or an iterator sees it: a range of a buffer, which is either
 * a mapping of the file or memory that the block was read or decoded into. {@link Source#show}
 * points it at one block after another; the memory of a block is released by the next call or by
 * {@link #release}. For one thread at a time.
 */
public final class BlockView implements Lookup.Memory {
  /** A source of blocks. */
  interface Source {
    /**
     * Loads a block into memory and points a view at it.
     *
     * @throws CorruptionException when the block is damaged
     * @throws io.sifr.error.UnsupportedFormatException when its codec is unknown
     */
    void show(IndexPart part, int block, BlockView view);

    /** Adds what a search of a block reads first, if it reads it in place. */
    default void locate(IndexPart part, int block, EntryIterator.Lines into) {}

    /**
     * Called after a block was read in place, before relying on what was found there.
     *
     * @throws InternalError when some of it could not be read
     */
    void searched(BlockView view);
  }

  /** Of the processor's cache. */
  private static final int LINE_BYTES = 64;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SstTail tail;
  private final @Nullable Source source;
  private final @Nullable ReadAhead readAhead;

  /** The part of the index that the block is in; null when none is shown. */
  private @Nullable IndexPart part;

  /** The block shown, or -1. */
  private int block = -1;

  /**
   * Holds the block, little-endian, as {@link Varint56} needs words; reversing the bytes of each
   * word would cost a tenth of a get.
   */
  ByteBuffer buffer = NOTHING;

  /** The start of the raw form in the buffer, and with it of the first entry. */
  int start;

  /** The end of the raw form in the buffer. */
  int end;

  /** Buffer in which {@link Source} probes whether a page can be read; allocated there. */
  byte @Nullable [] probe;

  /** True if the block is in a mapping, of which any page may turn out to be unreadable. */
  private boolean inPlace;

  /** True if the block was not checked as it is now, but at an earlier time. */
  private boolean mayHaveChanged;

  private @Nullable MemoryBlock memory;

  /**
   * A view.
   *
   * @param tail the SST's own
   * @param source where blocks come from; null when the only one is {@link #set} by the caller
   * @param readAhead what an iterator reads ahead; null for a search
   */
  BlockView(SstTail tail, @Nullable Source source, @Nullable ReadAhead readAhead) {
    this.tail = tail;
    this.source = source;
    this.readAhead = readAhead;
  }

  /** Shows a block, unless it is shown already. */
  void show(IndexPart of, int number) {
    if ((block != number || !of.equals(part)) && source != null) {
      source.show(of, number, this);
    }
  }

  /**
   * The same for an iterator.
   *
   * @param backwards whether it moves towards smaller keys
   * @param wholly whether it begins at an end of the block, and not in the middle
   */
  void show(IndexPart of, int number, boolean backwards, boolean wholly) {
    if (readAhead != null) {
      readAhead.headFor(backwards, wholly);
    }
    show(of, number);
  }

  /** See {@link Source#locate}. */
  void locate(IndexPart of, int number, EntryIterator.Lines into) {
    if (source != null) {
      source.locate(of, number, into);
    }
  }

  /** Adds what a search reads first of a block between two offsets. */
  static void locate(ByteBuffer in, int from, int to, EntryIterator.Lines into) {
    into.add(in, from);
    into.add(in, from + LINE_BYTES);
    into.add(in, to - LINE_BYTES);
    into.add(in, to - Long.BYTES);
  }

  /** Footer, properties, and what else is known of the SST. */
  SstTail tail() {
    return tail;
  }

  /** What an iterator has read ahead; null for a search. */
  @Nullable ReadAhead readAhead() {
    return readAhead;
  }

  /**
   * Called with the location of the block.
   *
   * @param of the part of the index it is in
   * @param counted memory that the caller has retained for this view; null when it is memory of
   *     another kind
   */
  void set(
      @Nullable IndexPart of,
      int number,
      ByteBuffer in,
      int from,
      int to,
      @Nullable MemoryBlock counted) {
    MemoryBlock before = memory;
    inPlace = false;
    mayHaveChanged = false;
    part = of;
    block = number;
    buffer = in;
    start = from;
    end = to;
    memory = counted;
    if (before != null) {
      before.release();
    }
  }

  /** The same for a block in the store's own memory, which the caller has retained for this. */
  void set(IndexPart of, int number, MemoryBlock counted) {
    set(of, number, counted.buffer(), counted.from(), counted.to(), counted);
  }

  /** Shows nothing. */
  void setNothing() {
    set(null, -1, NOTHING, 0, 0, null);
  }

  /** Called with the location of the block in a mapping. */
  void setInPlace(IndexPart of, int number, ByteBuffer in, int from, int to) {
    set(of, number, in, from, to, null);
    inPlace = true;
    mayHaveChanged = true;
  }

  /** Called after a block is shown that was not checked as it is now, but at an earlier time. */
  void wasCheckedBefore() {
    mayHaveChanged = true;
  }

  /** Whether the block is in a mapping. */
  boolean isInPlace() {
    return inPlace;
  }

  /** Must be called after reading from the block, before relying on what was read. */
  void read() {
    if (inPlace && source != null) {
      source.searched(this);
    }
  }

  /**
   * The exception for what was thrown while the block was read: by the JVM because a page could not
   * be read, or because of an offset in a block that has changed since it was checked. Anything
   * else is thrown as it is.
   */
  SifrException failed(Throwable e) {
    if (e instanceof InternalError unreadable) {
      return new UnreadableException(tail.file(), offset(), unreadable);
    }
    if (!mayHaveChanged) {
      throw Failures.unchecked(e);
    }
    try {
      return damaged(start, "the block has changed since it was checked: " + e);
    } catch (InternalError unreadable) {
      return new UnreadableException(tail.file(), offset(), unreadable);
    }
  }

  /** Whether there is something to release. */
  boolean holdsMemory() {
    return memory != null;
  }

  /** Releases the block. Idempotent. */
  @Override
  public void release() {
    setNothing();
    if (readAhead != null) {
      readAhead.release();
    }
  }

  /** Base that is added to the sequence numbers of the block's entries. */
  long baseSequence() {
    return BlockTrailer.baseSequence(buffer, end) + tail.baseSequence();
  }

  /**
   * The offset in the file of an offset in the buffer; for a decoded block, where the block begins.
   */
  int fileOffset(int at) {
    int offset = offset();
    IndexPart of = part;
    boolean isPlain = of != null && end - start + StoredBlock.BYTES == of.bytes(block);
    return isPlain ? at - start + offset : offset;
  }

  private int offset() {
    IndexPart of = part;
    return of == null ? 0 : of.offset(block);
  }

  /**
   * Checks an entry before it is returned.
   *
   * @param trailer negative when its sequence number is out of range
   * @throws CorruptionException when no writer could have written it
   */
  void requireAllowed(int at, long trailer, int valueLength) {
    if (trailer < 0 || !tail.kinds().isAllowed(Trailer.kind(trailer), valueLength)) {
      throw notAllowed(at, trailer, valueLength);
    }
  }

  private CorruptionException notAllowed(int at, long trailer, int valueLength) {
    return damaged(
        at,
        trailer < 0
            ? "sequence number out of range"
            : EntryKinds.notAllowed(Trailer.kind(trailer), valueLength));
  }

  /**
   * The exception for damage at an offset of the buffer.
   *
   * @throws InternalError when it only looks damaged because it could not be read
   */
  CorruptionException damaged(int at, String what) {
    read();
    return new CorruptionException(tail.file(), fileOffset(at), what);
  }
}
