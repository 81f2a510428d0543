package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnreadableException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.Lookup;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The data blocks of an open SST. Whoever wants a block has it shown; how it came into memory is
 * known here alone: a view shows its raw form, whether it lies in a file, was read, or decoded.
 * Every block shown was checked when it came there: the checksum, and the shape of its trailer.
 *
 * <p>Safe for any thread.
 */
abstract class Blocks implements BlockView.Source, AutoCloseable {
  private final Path file;
  private final long uniqueId;
  private final long baseSequence;
  private final FenceIndex index;

  Blocks(Path file, SstTail tail) {
    this.file = file;
    this.uniqueId = tail.footer().uniqueId();
    this.baseSequence = tail.baseSequence();
    this.index = tail.index();
  }

  @Override
  public final Path file() {
    return file;
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
   * Brings a block into memory and lets a view show it.
   *
   * @throws CorruptionException when the block is damaged
   * @throws UnsupportedFormatException when its codec is unknown
   */
  @Override
  public abstract void show(int block, BlockView view);

  /** Whether showing a block needs no I/O that is known of. */
  abstract boolean isInMemory(int block);

  /**
   * Called when a block was read where it lies, before anybody relies on what was found there.
   *
   * @throws InternalError when some of it could not be read
   */
  @Override
  public void searched(BlockView view) {}

  /** Called when a search has found an answer, which it may have to be told where that lies. */
  void found(Lookup answer) {}

  @Override
  public final UnreadableException unreadable(int block, Throwable e) {
    return new UnreadableException(file, index.offset(block), e);
  }

  /** Gives everything back. Nobody may be reading. */
  @Override
  public abstract void close();

  /**
   * Checks a stored block, and of its raw form the trailer, if it is stored as it is. Of the
   * entries it checks nothing.
   *
   * @param start where it begins in the buffer
   * @return whether it is stored as it is
   */
  final boolean check(int block, ByteBuffer buffer, int start) {
    int offset = index.offset(block);
    int end = start + index.bytes(block);
    StoredBlock.check(file, "data block", buffer, start, end, uniqueId, offset);
    boolean isPlain = StoredBlock.isPlain(buffer, end);
    if (isPlain) {
      BlockTrailer.check(file, buffer, start, end - StoredBlock.BYTES, offset);
    }
    return isPlain;
  }

  /**
   * Decodes a block that {@link #check} has found not to be stored as it is.
   *
   * @param start where it begins in the buffer
   * @return what holds its raw form; the caller is counted in
   */
  final MemoryBlock decode(int block, ByteBuffer buffer, int start) {
    int offset = index.offset(block);
    int end = start + index.bytes(block);
    int raw = StoredBlock.rawBytes(buffer, end);
    MemoryBlock memory = allocate(raw);
    try {
      StoredBlock.decode(file, buffer, start, end, offset, memory.buffer());
      BlockTrailer.check(file, memory.buffer(), 0, raw, offset);
      return memory;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  /** Memory for a raw form at its start, behind which a few bytes may be read. */
  static MemoryBlock allocate(int rawBytes) {
    int pages = SstFormat.pages(rawBytes + (long) StoredBlock.BYTES);
    MemoryBlock memory = MemoryBlock.allocate(pages * SstFormat.PAGE_BYTES);
    memory.holds(0, rawBytes);
    return memory;
  }
}
