package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnreadableException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.Lookup;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The data blocks of an open SST. A caller gets a view of a block's raw form, regardless of whether
 * it is mapped, was read, or was decoded. Every block was checked when it was loaded: its checksum,
 * and the structure of its trailer.
 *
 * <p>Safe for any thread.
 */
abstract class Blocks implements BlockView.Source, AutoCloseable {
  private final BlockDecoder decoder;
  private final long baseSequence;
  private final FenceIndex index;

  Blocks(SstTail tail) {
    this.decoder = tail.decoder();
    this.baseSequence = tail.baseSequence();
    this.index = tail.index();
  }

  @Override
  public final Path file() {
    return decoder.file();
  }

  @Override
  public final FenceIndex index() {
    return index;
  }

  @Override
  public final long baseSequence() {
    return baseSequence;
  }

  /**
   * Loads a block into memory and points a view at it.
   *
   * @throws CorruptionException when the block is damaged
   * @throws UnsupportedFormatException when its codec is unknown
   */
  @Override
  public abstract void show(int block, BlockView view);

  /** Whether a block can be shown without I/O, as far as is known. */
  abstract boolean isInMemory(int block);

  /**
   * Called after a block was read in place, before relying on what was found there.
   *
   * @throws InternalError when some of it could not be read
   */
  @Override
  public void searched(BlockView view) {}

  /** Called when a search has found an answer, to register the memory that holds it. */
  void found(Lookup answer) {}

  @Override
  public final UnreadableException unreadable(int block, Throwable e) {
    return new UnreadableException(file(), index.offset(block), e);
  }

  /** Releases everything. No thread may be reading. */
  @Override
  public abstract void close();

  /**
   * Checks a stored block, and if it is stored as it is, also the trailer of its raw form. Does not
   * check the entries.
   *
   * @param start where it begins in the buffer
   * @return whether it is stored as it is
   */
  final boolean check(int block, ByteBuffer buffer, int start) {
    int offset = index.offset(block);
    int end = start + index.bytes(block);
    decoder.check("data block", buffer, start, end, offset);
    boolean isPlain = StoredBlock.isPlain(buffer, end);
    if (isPlain) {
      BlockTrailer.check(file(), buffer, start, end - StoredBlock.BYTES, offset);
    }
    return isPlain;
  }

  /**
   * Decodes a block that {@link #check} has found to be encoded.
   *
   * @param start where it begins in the buffer
   * @return memory with its raw form, retained for the caller
   */
  final MemoryBlock decode(int block, ByteBuffer buffer, int start) {
    int offset = index.offset(block);
    int end = start + index.bytes(block);
    int raw = StoredBlock.rawBytes(buffer, end);
    MemoryBlock memory = allocate(raw);
    try {
      decoder.decode(buffer, start, end, offset, memory.buffer());
      BlockTrailer.check(file(), memory.buffer(), 0, raw, offset);
      return memory;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  /** Allocates memory for a raw form and a few bytes after it, which may be read too. */
  static MemoryBlock allocate(int rawBytes) {
    int pages = SstFormat.pages(rawBytes + (long) StoredBlock.BYTES);
    MemoryBlock memory = MemoryBlock.allocate(pages * SstFormat.PAGE_BYTES);
    memory.holds(0, rawBytes);
    return memory;
  }
}
