package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The raw form of a block, as a search or an iterator sees it: a range of a buffer, which is either
 * a mapping of the file or memory that the block was read or decoded into. {@link Source#show}
 * points it at one block after another; the memory of a block is released by the next call or by
 * {@link #release}. For one thread at a time.
 */
final class BlockView implements Lookup.Memory {
  /** Where blocks come from. */
  interface Source {
    /** Brings a block into memory and has a view show it. */
    void show(int block, BlockView view);

    /** Called after a block was read in place, before relying on what was found there. */
    void searched(BlockView view);

    /** The exception for a block of which the platform has not delivered a page. */
    UnreadableException unreadable(int block, Throwable e);

    /** The file, for messages. */
    Path file();

    /** Where the blocks are. */
    FenceIndex index();

    /** What is added to the sequence numbers in the file. */
    long baseSequence();
  }

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final EntryKinds kinds;
  private final Source blocks;
  private final @Nullable ReadAhead readAhead;

  /** The block shown, or -1. */
  private int block = -1;

  /**
   * Holds the block, little-endian, as {@link Varint56} needs words; reversing the bytes of each
   * word would cost a tenth of a get.
   */
  ByteBuffer buffer = NOTHING;

  /** Where in the buffer the raw form begins, and with it the first entry. */
  int start;

  /** Where in the buffer the raw form ends. */
  int end;

  /** Copies of blocks for an iterator; allocated by {@link Source}. */
  @Nullable ByteBuffer copy;

  /** Buffer in which {@link Source} probes whether a page can be read; allocated there. */
  byte @Nullable [] probe;

  /** Whether the next block will be read from one end to the other. */
  private boolean readWholly;

  /** Whether the block is in a mapping, of which any page may turn out to be unreadable. */
  private boolean inPlace;

  private @Nullable MemoryBlock memory;

  /** A view for a search. */
  BlockView(EntryKinds kinds, Source blocks) {
    this.kinds = kinds;
    this.blocks = blocks;
    this.readAhead = null;
  }

  /** A view for an iterator. */
  BlockView(EntryKinds kinds, Source blocks, ReadAheadPolicy policy, ReadHelper helper) {
    this.kinds = kinds;
    this.blocks = blocks;
    this.readAhead = new ReadAhead(policy, helper);
  }

  /** Shows a block, unless it is shown already. */
  void show(int number) {
    if (block != number) {
      blocks.show(number, this);
    }
  }

  /**
   * The same for an iterator.
   *
   * @param backwards whether it moves towards smaller keys
   * @param wholly whether it begins at an end of the block, and not in the middle
   */
  void show(int number, boolean backwards, boolean wholly) {
    if (readAhead != null) {
      readAhead.headFor(backwards);
    }
    readWholly = wholly;
    show(number);
  }

  /** Whether an iterator is about to read all of the block. */
  boolean isReadWholly() {
    return readWholly;
  }

  /** What an iterator has read ahead; null for a search. */
  @Nullable ReadAhead readAhead() {
    return readAhead;
  }

  /**
   * Called by {@link Source} with the location of the block.
   *
   * @param counted memory that the caller has retained for this view; null when it is memory of
   *     another kind
   */
  void set(int number, ByteBuffer in, int from, int to, @Nullable MemoryBlock counted) {
    MemoryBlock before = memory;
    inPlace = false;
    block = number;
    buffer = in;
    start = from;
    end = to;
    memory = counted;
    if (before != null) {
      before.release();
    }
  }

  /** Called by {@link Source} with the location of the block in a mapping. */
  void setInPlace(int number, ByteBuffer in, int from, int to) {
    set(number, in, from, to, null);
    inPlace = true;
  }

  /** Whether the block is in a mapping. */
  boolean isInPlace() {
    return inPlace;
  }

  /** Must be called after reading from the block, before relying on what was read. */
  void read() {
    if (inPlace) {
      blocks.searched(this);
    }
  }

  /** The exception for an error that the JVM raised because a page could not be read. */
  UnreadableException unreadable(InternalError e) {
    return blocks.unreadable(block, e);
  }

  /** Whether there is something to release. */
  boolean holdsMemory() {
    return memory != null;
  }

  /** Releases the block. Idempotent. */
  @Override
  public void release() {
    set(-1, NOTHING, 0, 0, null);
    if (readAhead != null) {
      readAhead.release();
    }
  }

  /** Base that is added to the sequence numbers of the block's entries. */
  long baseSequence() {
    return BlockTrailer.baseSequence(buffer, end) + blocks.baseSequence();
  }

  /**
   * The offset in the file of an offset in the buffer; for a decoded block, where the block begins.
   */
  int fileOffset(int at) {
    int offset = blocks.index().offset(block);
    boolean isPlain = end - start + StoredBlock.BYTES == blocks.index().bytes(block);
    return isPlain ? at - start + offset : offset;
  }

  /**
   * Checks an entry before it is returned.
   *
   * @param trailer negative when its sequence number is out of range
   * @throws CorruptionException when no writer could have written it
   */
  void requireAllowed(int at, long trailer, int valueLength) {
    if (trailer < 0 || !kinds.isAllowed(Trailer.kind(trailer), valueLength)) {
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
    return new CorruptionException(blocks.file(), fileOffset(at), what);
  }
}
