package io.sifr.internal.sst.block;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.MemoryMapper.MappingFaults;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.StoredBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Blocks in one mapping of the whole file: the page cache is the cache, and a read needs no system
 * call. For users' reads a block is checked when it is first used, and then read in place without
 * another check; an encoded block is decoded into the store's own memory, and the block cache keeps
 * the ones used most. An iterator that {@link ReadAhead#verifies} gets a copy of each block, which
 * is checked whoever has checked the block before: what changes in the file afterwards does not
 * matter to it.
 *
 * <p>Any page may turn out to be unreadable at any time, see {@link MappingFaults}. So the check is
 * made on a copy, and every read in place is followed by {@link #searched} or {@link #read}. Where
 * reading pages in place is slow, an iterator that reads a block from one end to the other gets a
 * copy; a seek touches too little of a block to make a copy worthwhile.
 */
final class MappedBlocks extends Blocks implements Lookup.Mapping {
  private static final int MAX_SHARED_BYTES = SstFormat.MAX_SHARED_PAGES * SstFormat.PAGE_BYTES;

  private static final ThreadLocal<ByteBuffer> SCRATCH =
      ThreadLocal.withInitial(() -> newCopy(SstFormat.PAGE_BYTES));

  private final MappedRegion region;
  private final ByteBuffer buffer;

  MappedBlocks(Path file, MappedRegion region) {
    super(file, true);
    this.region = region;
    this.buffer = region.buffer().duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  ByteBuffer mapping() {
    return buffer;
  }

  private static ByteBuffer newCopy(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void show(IndexPart part, int block, BlockView view) {
    ReadAhead copier = copier(part, block, view);
    byte state = copier != null && copier.verifies() ? IndexPart.UNCHECKED : part.known(block);
    if (state == IndexPart.UNCHECKED && copier == null) {
      state = check(part, block, view, scratchCopy(part, block));
    }
    if (state == IndexPart.ENCODED) {
      showDecoded(part, block, view);
    } else if (copier != null) {
      showCopy(part, block, view, copier, state);
    } else {
      view.setInPlace(part, block, buffer, part.offset(block), part.end(block) - StoredBlock.BYTES);
    }
  }

  @Override
  public void locate(IndexPart part, int block, EntryIterator.Lines into) {
    if (part.known(block) == IndexPart.PLAIN) {
      int end = part.end(block) - StoredBlock.BYTES;
      BlockView.locate(buffer, part.offset(block), end, into);
    }
  }

  /** What an iterator that is to get a copy of a block reads ahead into; null if none is to. */
  private static @Nullable ReadAhead copier(IndexPart part, int block, BlockView view) {
    ReadAhead iterator = view.readAhead();
    if (iterator == null) {
      return null;
    }
    boolean isOfUse =
        MappingFaults.COPY_IS_CHEAPER
            && iterator.readsWholly()
            && part.bytes(block) <= MAX_SHARED_BYTES;
    return isOfUse || iterator.verifies() ? iterator : null;
  }

  /**
   * @param known what is known of the block
   */
  private void showCopy(IndexPart part, int block, BlockView view, ReadAhead iterator, byte known) {
    int bytes = part.bytes(block);
    ByteBuffer copy = iterator.copy;
    if (copy == null || copy.capacity() < bytes) {
      copy = newCopy(bytes);
      if (bytes <= MAX_SHARED_BYTES) {
        iterator.copy = copy;
      }
    }
    view.setNothing();
    copy(part, block, copy);
    byte state = known == IndexPart.UNCHECKED ? check(part, block, view, copy) : known;
    if (state == IndexPart.ENCODED) {
      view.set(part, block, decoded(part, block, view, copy));
    } else {
      int end = bytes - StoredBlock.BYTES;
      if (known != IndexPart.UNCHECKED) {
        requireNoZeros(BlockEntries.count(copy, 0), part.offset(block));
        requireNoZeros(StoredBlock.payloadBytes(copy, bytes), part.offset(block) + end);
      }
      view.set(part, block, copy, 0, end, null);
      if (known != IndexPart.UNCHECKED) {
        view.wasCheckedBefore();
      }
    }
  }

  private static byte check(IndexPart part, int block, BlockView view, ByteBuffer copy) {
    part.know(block, IndexPart.UNCHECKED); // in case it is damaged by now
    boolean isPlain = check(view.tail().decoder(), part, block, copy, 0);
    byte state = isPlain ? IndexPart.PLAIN : IndexPart.ENCODED;
    part.know(block, state);
    return state;
  }

  private ByteBuffer scratchCopy(IndexPart part, int block) {
    int bytes = part.bytes(block);
    ByteBuffer copy = SCRATCH.get();
    if (copy.capacity() < bytes) {
      copy = newCopy(bytes);
      if (bytes <= MAX_SHARED_BYTES) {
        SCRATCH.set(copy);
      }
    }
    copy(part, block, copy);
    return copy;
  }

  /** Shows a block from the cache; on a miss, copies and decodes it, and caches it. */
  private void showDecoded(IndexPart part, int block, BlockView view) {
    MemoryBlock memory = part.table().acquire(block);
    if (memory == null) {
      ByteBuffer copy = scratchCopy(part, block);
      check(part, block, view, copy);
      memory = decoded(part, block, view, copy);
    }
    view.set(part, block, memory);
  }

  private static MemoryBlock decoded(IndexPart part, int block, BlockView view, ByteBuffer copy) {
    MemoryBlock memory = decode(view.tail().decoder(), part, block, copy, 0);
    ReadAhead iterator = view.readAhead();
    if (iterator == null || iterator.usesCache()) {
      part.table().offer(block, memory);
    }
    return memory;
  }

  private void copy(IndexPart part, int block, ByteBuffer copy) {
    int start = part.offset(block);
    try {
      buffer.get(start, copy.array(), copy.arrayOffset(), part.bytes(block));
      MappingFaults.raise();
    } catch (InternalError e) {
      throw new UnreadableException(file(), start, e);
    }
  }

  @Override
  public void searched(BlockView view) {
    byte[] probe = view.probe;
    if (probe == null) {
      probe = new byte[MappingFaults.PROBE_BYTES];
      view.probe = probe;
    }
    int entries = BlockEntries.count(buffer, view.start);
    MappingFaults.raise(buffer, view.start, view.end, view.start, probe);
    requireNoZeros(entries, view.fileOffset(view.start));
  }

  /**
   * Every block has an entry and a payload, so neither number is 0. But a mapping has zeros where a
   * page of a file was lost, or the file was cut within a page.
   */
  private void requireNoZeros(int number, int fileOffset) {
    if (number == 0) {
      throw new CorruptionException(file(), fileOffset, "zeros in place of a block");
    }
  }

  @Override
  public void found(Lookup answer) {
    answer.hold(this);
  }

  @Override
  public void read() {
    MappingFaults.raise();
  }

  @Override
  public void copy(int at, byte[] target, int offset, int length) {
    if (length > 0) {
      try {
        buffer.get(at, target, offset, length);
        MappingFaults.raise(buffer, at, at + length, at, new byte[MappingFaults.PROBE_BYTES]);
      } catch (InternalError e) {
        throw unreadableAt(at, e);
      }
    }
  }

  @Override
  public UnreadableException unreadableAt(int at, InternalError e) {
    return new UnreadableException(file(), at, e);
  }

  @Override
  public boolean isInMemory(int from, int length) {
    return region.isInMemory(from, length);
  }

  @Override
  void announce(int from, int length) {
    region.announce(from, length);
  }

  @Override
  public ByteBuffer read(long from, long to) {
    byte[] copy = new byte[(int) (to - from)];
    try {
      buffer.get((int) from, copy);
      MappingFaults.raise();
    } catch (InternalError e) {
      throw new UnreadableException(file(), from, e);
    }
    return ByteBuffer.wrap(copy);
  }

  @Override
  void close() {
    region.close();
  }
}
