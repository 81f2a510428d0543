package io.sifr.internal.sst;

import io.sifr.error.UnreadableException;
import io.sifr.internal.cache.BlockCache;
import io.sifr.internal.cache.BlockTable;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.MappingFaults;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Blocks in one mapping of the whole file: the page cache is the cache, and a read needs no system
 * call. A block is checked when it is first used, and read in place; an encoded block is decoded
 * into the store's own memory, and the block cache keeps the ones used most.
 *
 * <p>Any page may turn out to be unreadable at any time, see {@link MappingFaults}. So the check is
 * made on a copy, and every read in place is followed by {@link #searched} or {@link #read}. Where
 * reading pages in place is slow, an iterator that reads a block from one end to the other gets a
 * copy; a seek touches too little of a block to make a copy worthwhile.
 */
final class MappedBlocks extends Blocks implements Lookup.Mapping {
  private static final int MAX_SHARED_BYTES = SstFormat.MAX_SHARED_PAGES * SstFormat.PAGE_BYTES;

  // States of a block.
  private static final byte UNCHECKED = 0;
  private static final byte PLAIN = 1;
  private static final byte ENCODED = 2;

  private static final ThreadLocal<ByteBuffer> SCRATCH =
      ThreadLocal.withInitial(() -> newCopy(SstFormat.PAGE_BYTES));

  private final MappedRegion region;
  private final ByteBuffer buffer;
  private final BlockCache cache;

  // Written without a lock: a thread that does not see the new state just checks again.
  private final byte[] known;

  /** The decoded blocks; null until there is one. */
  private volatile @Nullable BlockTable decoded;

  MappedBlocks(MappedRegion region, BlockCache cache, SstTail tail) {
    super(tail);
    this.region = region;
    this.buffer = region.buffer().duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.cache = cache;
    this.known = new byte[index().blocks()];
  }

  private static ByteBuffer newCopy(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void show(int block, BlockView view) {
    int start = index().offset(block);
    int end = index().end(block);
    boolean copies =
        view.isReadWholly() && MappingFaults.COPY_IS_CHEAPER && end - start <= MAX_SHARED_BYTES;
    byte state = known[block];
    if (state == UNCHECKED && !copies) {
      state = check(block, start, end);
    }
    if (state == ENCODED) {
      showDecoded(block, start, end, view);
    } else if (copies) {
      showCopy(block, start, end, view);
    } else {
      view.setInPlace(block, buffer, start, end - StoredBlock.BYTES);
    }
  }

  private void showCopy(int block, int start, int end, BlockView view) {
    ByteBuffer copy = view.copy;
    if (copy == null || copy.capacity() < end - start) {
      copy = newCopy(end - start);
      view.copy = copy;
    }
    view.set(-1, copy, 0, 0, null);
    copy(block, start, end, copy);
    if (known[block] == UNCHECKED) {
      known[block] = check(block, copy, 0) ? PLAIN : ENCODED;
    }
    if (known[block] == ENCODED) {
      showDecoded(block, start, end, view);
    } else {
      view.set(block, copy, 0, end - start - StoredBlock.BYTES, null);
    }
  }

  private byte check(int block, int start, int end) {
    byte state = check(block, scratchCopy(block, start, end), 0) ? PLAIN : ENCODED;
    known[block] = state;
    return state;
  }

  private ByteBuffer scratchCopy(int block, int start, int end) {
    ByteBuffer copy = SCRATCH.get();
    if (copy.capacity() < end - start) {
      copy = newCopy(end - start);
      if (end - start <= MAX_SHARED_BYTES) {
        SCRATCH.set(copy);
      }
    }
    copy(block, start, end, copy);
    return copy;
  }

  /** Shows a block from the cache; on a miss, copies, decodes and caches it. */
  private void showDecoded(int block, int start, int end, BlockView view) {
    BlockTable table = decoded();
    MemoryBlock memory = table.acquire(block);
    if (memory == null) {
      ByteBuffer copy = scratchCopy(block, start, end);
      check(block, copy, 0);
      memory = decode(block, copy, 0);
      table.offer(block, memory);
    }
    view.set(block, memory.buffer(), memory.from(), memory.to(), memory);
  }

  private BlockTable decoded() {
    BlockTable table = decoded;
    return table == null ? newTable() : table;
  }

  private synchronized BlockTable newTable() {
    BlockTable table = decoded;
    if (table == null) {
      table = new BlockTable(cache, index().blocks());
      decoded = table;
    }
    return table;
  }

  private void copy(int block, int start, int end, ByteBuffer copy) {
    try {
      buffer.get(start, copy.array(), copy.arrayOffset(), end - start);
      MappingFaults.raise();
    } catch (InternalError e) {
      throw unreadable(block, e);
    }
  }

  @Override
  public void searched(BlockView view) {
    byte[] probe = view.probe;
    if (probe == null) {
      probe = new byte[MappingFaults.PROBE_BYTES];
      view.probe = probe;
    }
    MappingFaults.raise(buffer, view.start, view.end, view.end - BlockTrailer.BYTES, probe);
  }

  @Override
  void found(Lookup answer) {
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

  /** Unknown for a mapped page; where it matters, the store does not read through mappings. */
  @Override
  boolean isInMemory(int block) {
    return true;
  }

  /** Copies a range of the file. */
  ByteBuffer copyOf(long from, long to) {
    return copyOf(file(), region, from, to);
  }

  /** The same for a file whose blocks are not known yet. */
  static ByteBuffer copyOf(Path file, MappedRegion region, long from, long to) {
    byte[] copy = new byte[(int) (to - from)];
    try {
      region.buffer().get((int) from, copy);
      MappingFaults.raise();
    } catch (InternalError e) {
      throw new UnreadableException(file, from, e);
    }
    return ByteBuffer.wrap(copy);
  }

  /** Causes blocks to be checked again when they are next used. */
  void forgetChecks() {
    Arrays.fill(known, UNCHECKED);
    forgetDecoded();
  }

  @Override
  public void close() {
    forgetDecoded();
    region.close();
  }

  private void forgetDecoded() {
    BlockTable table = decoded;
    if (table != null) {
      table.clear();
    }
  }
}
