package io.sifr.internal.sst.block;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.SstTail;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The raw form of a block, as a search or an iterator sees it: a range of a buffer, which is either
 * a mapping of the file or memory that the block was read or decoded into. {@link Source#show}
 * points it at one block after another; the memory of a block is released by the next call or by
 * {@link #release}. For one thread at a time.
 */
public final class BlockView extends BlockEntries implements Lookup.Memory {
  /** A source of blocks. */
  public interface Source {
    /** The file, for messages. */
    Path file();

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

  /** Lines of a usual block in which are the words of its keys, and where the entries begin. */
  private static final int FIRST_LINES = 5;

  private final SstTail tail;
  private final @Nullable Source source;
  private final @Nullable ReadAhead readAhead;

  /** The part of the index that the block is in; null when none is shown. */
  private @Nullable IndexPart part;

  /** The block shown, or -1. */
  private int block = -1;

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
  public BlockView(SstTail tail, @Nullable Source source, @Nullable ReadAhead readAhead) {
    this.tail = tail;
    this.source = source;
    this.readAhead = readAhead;
  }

  /** Shows a block, unless it is shown already. */
  public void show(IndexPart of, int number) {
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
  public void show(IndexPart of, int number, boolean backwards, boolean wholly) {
    if (readAhead != null) {
      readAhead.headFor(backwards, wholly);
    }
    show(of, number);
  }

  /** See {@link Source#locate}. */
  public void locate(IndexPart of, int number, EntryIterator.Lines into) {
    if (source != null) {
      source.locate(of, number, into);
    }
  }

  /** Adds what a search reads first of a block between two offsets. */
  public static void locate(ByteBuffer in, int from, int to, EntryIterator.Lines into) {
    for (int at = from; at < Math.min(to, from + FIRST_LINES * LINE_BYTES); at += LINE_BYTES) {
      into.add(in, at);
    }
  }

  /** Footer, properties, and what else is known of the SST. */
  public SstTail tail() {
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
    show(in, from, to);
    memory = counted;
    if (before != null) {
      before.release();
    }
  }

  /** The same for a block in the store's own memory, which the caller has retained for this. */
  public void set(IndexPart of, int number, MemoryBlock counted) {
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
  public boolean isInPlace() {
    return inPlace;
  }

  /** Must be called after reading from the block, before relying on what was read. */
  public void read() {
    if (inPlace && source != null) {
      source.searched(this);
    }
  }

  /**
   * Must be called before relying on not having found an entry: where a file was cut within a page,
   * a mapping has zeros, perhaps in place of the words that were searched. What is found tells by
   * itself that it is whole, see {@link BlockEntries}.
   *
   * @throws CorruptionException when the end of the block is missing
   */
  public void requireEnd() {
    if (inPlace && StoredBlock.payloadBytes(buffer, end + StoredBlock.BYTES) == 0) {
      throw damaged(end, "zeros in place of the end of a block");
    }
  }

  /**
   * The exception for what was thrown while a block was read: by the JVM because a page could not
   * be read, or because of an offset in a block that has changed since it was checked. Anything
   * else is thrown as it is.
   */
  public static SifrException failed(BlockView block, Throwable e) {
    try {
      return block.failed(e);
    } catch (InternalError late) { // of a page that was read there, thrown when it returned
      return block.failed(late);
    }
  }

  private SifrException failed(Throwable e) {
    if (e instanceof InternalError unreadable) {
      return unreadable(unreadable);
    }
    if (!mayHaveChanged) {
      throw Failures.unchecked(e);
    }
    try {
      return damaged(start, "the block has changed since it was checked: " + e);
    } catch (InternalError unreadable) {
      return unreadable(unreadable);
    }
  }

  private UnreadableException unreadable(InternalError why) {
    return new UnreadableException(source == null ? tail.file() : source.file(), offset(), why);
  }

  /** Whether there is something to release. */
  public boolean holdsMemory() {
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

  /**
   * The offset in the file of an offset in the buffer; for a decoded block, where the block begins.
   */
  public int fileOffset(int at) {
    int offset = offset();
    IndexPart of = part;
    boolean isPlain = of != null && end - start + StoredBlock.BYTES == of.bytes(block);
    return isPlain ? at - start + offset : offset;
  }

  private int offset() {
    IndexPart of = part;
    return of == null ? 0 : of.offset(block);
  }

  /** Begins to read the entries of the block shown. */
  public void enter() {
    enter(tail.baseSequence());
  }

  /**
   * Locates an entry.
   *
   * @throws CorruptionException when it cannot be read
   */
  public void require(int number) {
    if (!locate(number)) {
      throw unreadable();
    }
  }

  /** The exception for the entry located last, which cannot be read. */
  public CorruptionException unreadable() {
    return damaged(entryAt(), "no entry can be read");
  }

  /**
   * Checks the entry located last before it is returned.
   *
   * @param trailer its own
   * @throws CorruptionException when no writer could have written it
   */
  public void requireAllowed(long trailer) {
    // Nearly all entries are puts.
    if (trailer < 0
        || (!Trailer.isPut(trailer)
            && !tail.kinds().isAllowed(Trailer.kind(trailer), valueLength()))) {
      throw damaged(
          entryAt(),
          trailer < 0
              ? "sequence number out of range"
              : EntryKinds.notAllowed(Trailer.kind(trailer), valueLength()));
    }
  }

  /**
   * The exception for damage at an offset of the buffer.
   *
   * @throws InternalError when it only looks damaged because it could not be read
   */
  public CorruptionException damaged(int at, String what) {
    read();
    return new CorruptionException(tail.file(), fileOffset(at), what);
  }
}
