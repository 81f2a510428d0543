package io.sifr.internal.sst;

import io.sifr.error.UnreadableException;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.MappingFaults;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Blocks in one mapping of the whole file: the page cache is the cache, and reading costs no call.
 * A block is checked when it is first shown.
 *
 * <p>A page may turn out not to be readable at any time, see {@link MappingFaults}. So what is
 * checked is a copy, and what is read in place is followed by {@link #searched} or {@link #read}.
 * Where that takes long, iterators are shown copies of the blocks that they read from one end to
 * the other; to seek, they touch too little of a block to make a copy worth while.
 */
final class MappedBlocks extends Blocks implements Lookup.Place {
  private static final int MAX_SHARED_BYTES = SstFormat.MAX_SHARED_PAGES * SstFormat.PAGE_BYTES;

  /** Bytes before the end of a block where its number of restart points is, which is not zero. */
  private static final int RESTARTS = 17;

  private static final ThreadLocal<ByteBuffer> SCRATCH =
      ThreadLocal.withInitial(() -> newCopy(SstFormat.PAGE_BYTES));

  private final MappedRegion region;
  private final ByteBuffer buffer;

  // Written without a lock: what a thread does not see yet it checks once more.
  private final boolean[] checked;

  MappedBlocks(Path file, MappedRegion region, long uniqueId, FenceIndex index) {
    super(file, uniqueId, index);
    this.region = region;
    this.buffer = region.buffer().duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.checked = new boolean[index.blocks()];
  }

  private static ByteBuffer newCopy(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  void show(int block, BlockView view) {
    int start = index().offset(block);
    int end = index().offset(block + 1);
    if (view.isReadWholly() && MappingFaults.COPY_IS_CHEAPER && end - start <= MAX_SHARED_BYTES) {
      ByteBuffer copy = view.copy;
      if (copy == null || copy.capacity() < end - start) {
        copy = newCopy(end - start);
        view.copy = copy;
      }
      view.set(-1, copy, 0, 0, null);
      copy(block, start, end, copy);
      if (!checked[block]) {
        check(block, copy, 0);
        checked[block] = true;
      }
      view.set(block, copy, 0, end - start, null);
    } else {
      if (!checked[block]) {
        check(block, start, end);
        checked[block] = true;
      }
      view.setInPlace(block, buffer, start, end);
    }
  }

  private void check(int block, int start, int end) {
    ByteBuffer copy = SCRATCH.get();
    if (copy.capacity() < end - start) {
      copy = newCopy(end - start);
      if (end - start <= MAX_SHARED_BYTES) {
        SCRATCH.set(copy);
      }
    }
    copy(block, start, end, copy);
    check(block, copy, 0);
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
  void searched(BlockView view) {
    byte[] probe = view.probe;
    if (probe == null) {
      probe = new byte[MappingFaults.PROBE_BYTES];
      view.probe = probe;
    }
    MappingFaults.raise(buffer, view.start, view.end, view.end - RESTARTS, probe);
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

  /** Nobody tells whether the page is there; where it matters nobody reads through mappings. */
  @Override
  boolean isInMemory(int block) {
    return true;
  }

  /** Bytes of the file, copied. */
  ByteBuffer copyOf(long from, long to) {
    return copyOf(file(), region, from, to);
  }

  /** The same of a file whose blocks are not known yet. */
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

  /** Has blocks checked again when they are next shown. */
  void forgetChecks() {
    Arrays.fill(checked, false);
  }

  @Override
  public void close() {
    region.close();
  }
}
