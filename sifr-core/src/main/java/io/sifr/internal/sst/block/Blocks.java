package io.sifr.internal.sst.block;

import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.PageSource;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.StoredBlock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An open file of an SST: the pages and the data blocks in it. A caller gets a view of a block's
 * raw form, regardless of whether it is mapped, was read, or was decoded. Every block was checked
 * when it was loaded: its checksum, and what precedes its entries.
 *
 * <p>It holds nothing but the file. What has been read and found out is in the parts of the index,
 * which stay in memory when the file is closed.
 *
 * <p>Safe for any thread.
 */
public abstract class Blocks implements BlockView.Source, PageSource {
  private final Path file;
  private final boolean isMapped;

  /** Reference count: the opener and the iterators. Once it is 0, it never rises again. */
  private final AtomicInteger users = new AtomicInteger(1);

  Blocks(Path file, boolean isMapped) {
    this.file = file;
    this.isMapped = isMapped;
  }

  @Override
  public final Path file() {
    return file;
  }

  final boolean isMapped() {
    return isMapped;
  }

  @Override
  public void searched(BlockView view) {}

  /** Whether bytes of the file can be read without I/O, as far as is known. */
  public boolean isInMemory(int from, int length) {
    return true;
  }

  /** Has the system begin to read bytes of the file, if it can be told to. */
  abstract void announce(int from, int length);

  /** Called when a search has found an answer, to register the memory that holds it. */
  public void found(Lookup answer) {}

  /** The whole file, little-endian, if it is mapped; else null. */
  @Nullable ByteBuffer mapping() {
    return null;
  }

  /** Keeps it open until {@link #leave}, unless it is closed already. */
  final boolean tryUse() {
    return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /** Drops a reference; the last one closes the file. No thread without one may be reading. */
  public final void leave() {
    if (users.decrementAndGet() == 0) {
      close();
    }
  }

  /** Unmaps or closes the file. */
  abstract void close();

  /**
   * Checks a stored block, and if it is stored as it is, also what precedes its entries. Does not
   * check the entries.
   *
   * @param start where it begins in the buffer
   * @return whether it is stored as it is
   */
  static boolean check(
      StoredBlock.Decoder decoder, IndexPart part, int block, ByteBuffer buffer, int start) {
    int offset = part.offset(block);
    int end = start + part.bytes(block);
    decoder.check("data block", buffer, start, end, offset);
    boolean isPlain = StoredBlock.isPlain(buffer, end);
    if (isPlain) {
      BlockEntries.check(decoder.file(), buffer, start, end - StoredBlock.BYTES, offset);
    }
    return isPlain;
  }

  /**
   * Decodes a block that {@link #check} has found to be encoded.
   *
   * @param start where it begins in the buffer
   * @return memory with its raw form, retained for the caller
   */
  static MemoryBlock decode(
      StoredBlock.Decoder decoder, IndexPart part, int block, ByteBuffer buffer, int start) {
    int offset = part.offset(block);
    int end = start + part.bytes(block);
    int raw = StoredBlock.rawBytes(buffer, end);
    MemoryBlock memory = allocate(raw);
    try {
      decoder.decode(buffer, start, end, offset, memory.buffer());
      BlockEntries.check(decoder.file(), memory.buffer(), 0, raw, offset);
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
