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
 * The raw form of a block, as a search or a walk sees it: a stretch of a buffer, be that a mapping
 * of the file or memory the block was read or decoded into. Shown one block after the other by
 * {@link Source#show}; what it holds on to is given back by the next or by {@link #release}. For
 * one thread at a time.
 */
final class BlockView implements Lookup.Memory {
  /** Where blocks come from. */
  interface Source {
    /** Brings a block into memory and has a view show it. */
    void show(int block, BlockView view);

    /** Told when a block was read where it lies, before anybody relies on what was found there. */
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
   * Holds the block, little-endian, as {@link Varint56} needs words; turning each of them round
   * costs a tenth of a get.
   */
  ByteBuffer buffer = NOTHING;

  /** Where in the buffer the raw form begins, which is where its first entry does. */
  int start;

  /** Where in the buffer the raw form ends. */
  int end;

  /** Where an iterator is shown copies of blocks; made by the source. */
  @Nullable ByteBuffer copy;

  /** Where the source tries whether a page can be read; made there. */
  byte @Nullable [] probe;

  /** Whether the block to be shown is going to be read from one end. */
  private boolean readWholly;

  /** Whether the block lies in a mapping, of which any page may turn out to be unreadable. */
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
   * The same for a walk.
   *
   * @param backwards whether it is going to smaller keys
   * @param wholly whether it begins at an end of the block, and not somewhere within
   */
  void show(int number, boolean backwards, boolean wholly) {
    if (readAhead != null) {
      readAhead.headFor(backwards);
    }
    readWholly = wholly;
    show(number);
  }

  /** The block shown, or -1. */
  int block() {
    return block;
  }

  /** Whether an iterator is going to read all of the block. */
  boolean isReadWholly() {
    return readWholly;
  }

  /** What a walk has read beyond its block; null for who does not walk. */
  @Nullable ReadAhead readAhead() {
    return readAhead;
  }

  /**
   * Is called by the source with where the block lies.
   *
   * @param counted memory in which the caller has counted this view in; null when it is not that
   *     kind of memory
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

  /** Is called by the source with where the block lies in a mapping. */
  void setInPlace(int number, ByteBuffer in, int from, int to) {
    set(number, in, from, to, null);
    inPlace = true;
  }

  /** Whether the block lies in a mapping. */
  boolean isInPlace() {
    return inPlace;
  }

  /** Is to be called when something of the block was read, before anybody relies on it. */
  void read() {
    if (inPlace) {
      blocks.searched(this);
    }
  }

  /** The exception for an error that the JVM raised because a page could not be delivered. */
  UnreadableException unreadable(InternalError e) {
    return blocks.unreadable(block, e);
  }

  /** Whether something has to be given back. */
  boolean holdsMemory() {
    return memory != null;
  }

  /** Shows nothing any more. It can be called more than once. */
  @Override
  public void release() {
    set(-1, NOTHING, 0, 0, null);
    if (readAhead != null) {
      readAhead.release();
    }
  }

  /** What is added to the sequence number that an entry of the block gives. */
  long baseSequence() {
    return BlockTrailer.baseSequence(buffer, end) + blocks.baseSequence();
  }

  /** Where in the file a place of the buffer is; of a block that was decoded, where that begins. */
  int fileOffset(int at) {
    int offset = blocks.index().offset(block);
    boolean isPlain = end - start + StoredBlock.BYTES == blocks.index().bytes(block);
    return isPlain ? at - start + offset : offset;
  }

  /**
   * Checks an entry that is about to be handed out.
   *
   * @param trailer negative when its sequence number is out of range
   * @throws CorruptionException when nobody could have written it
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
   * The exception for something wrong at a place of the buffer.
   *
   * @throws InternalError when it only seems wrong, because it could not be read
   */
  CorruptionException damaged(int at, String what) {
    read();
    return new CorruptionException(blocks.file(), fileOffset(at), what);
  }
}
