package io.sifr.internal.sst;

import io.sifr.internal.cache.BlockTable;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.io.RandomReadFile;

/**
 * Blocks read by position, one read per block, into the store's own memory; the cache keeps those
 * used most. A block is checked when it has been read, and decoded if it is encoded.
 */
final class ReadBlocks extends Blocks {
  private final RandomReadFile source;
  private final ReadMeter meter;
  private final BlockTable cached;

  ReadBlocks(RandomReadFile source, SstAccess access, SstTail tail) {
    super(tail);
    this.source = source;
    this.meter = access.meter();
    this.cached = new BlockTable(access.cache(), tail.index().blocks());
  }

  @Override
  public void show(int block, BlockView view) {
    ReadAhead ahead = view.readAhead();
    if (ahead == null || !showReadAhead(block, view, ahead)) {
      MemoryBlock memory = cached.acquire(block);
      if (memory == null) {
        memory = read(block);
        cached.offer(block, memory);
      }
      view.set(block, memory.buffer(), memory.from(), memory.to(), memory);
    }
  }

  /** Shows a block from the read-ahead of an iterator, if it reads ahead. */
  private boolean showReadAhead(int block, BlockView view, ReadAhead ahead) {
    ahead.enters(block);
    if (ahead.holding(block) == null && !(ahead.usesCache() && cached.contains(block))) {
      readAhead(block, ahead);
    }
    MemoryBlock memory = ahead.holding(block);
    if (memory == null || !memory.tryRetain()) {
      return false;
    }
    try {
      int start = index().offset(block) - index().pageStart(ahead.from());
      if (check(block, memory.buffer(), start)) {
        int end = start + index().bytes(block) - StoredBlock.BYTES;
        if (ahead.isShort()) {
          offerCopy(block, memory, start, end);
        }
        view.set(block, memory.buffer(), start, end, memory);
        return true;
      }
      MemoryBlock decoded = decode(block, memory.buffer(), start);
      if (ahead.isShort()) {
        cached.offer(block, decoded);
      }
      view.set(block, decoded.buffer(), decoded.from(), decoded.to(), decoded);
      memory.release();
      return true;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  /**
   * Reads a block and those after it in the direction of iteration, as many as the iterator wants,
   * and starts reading the next ones in the background if it is likely to need them.
   */
  private void readAhead(int block, ReadAhead ahead) {
    if (!ahead.keepBackgroundRead(block)) {
      int last = lastAtOnce(block, ahead);
      if (last == block && ahead.usesCache()) {
        return;
      }
      int from = Math.min(block, last);
      int to = Math.max(block, last) + 1;
      ahead.keep(read(from, to), from, to);
    }
    if (ahead.wantsHelp()) {
      readNext(ahead);
    }
  }

  private void readNext(ReadAhead ahead) {
    int first = ahead.isBackwards() ? ahead.from() - 1 : ahead.to();
    if (first >= 0 && first < index().blocks() && !(ahead.usesCache() && cached.contains(first))) {
      int last = lastAtOnce(first, ahead);
      int from = Math.min(first, last);
      int to = Math.max(first, last) + 1;
      ahead.begin(new BackgroundRead(from, to, () -> read(from, to)));
    }
  }

  /** The last block, in the direction of iteration, of those that are read at once. */
  private int lastAtOnce(int first, ReadAhead ahead) {
    int most = ahead.pages() * SstFormat.PAGE_BYTES;
    int step = ahead.isBackwards() ? -1 : 1;
    int last = first;
    for (int next = first + step;
        next >= 0
            && next < index().blocks()
            && pageBytes(Math.min(first, next), Math.max(first, next) + 1) <= most;
        next += step) {
      last = next;
    }
    return last;
  }

  /**
   * Caches a block that a short scan has read ahead: the same short ranges may be read again. The
   * block is copied, or it would keep in memory all that was read with it.
   */
  private void offerCopy(int block, MemoryBlock memory, int start, int end) {
    if (cached.takes(end - start) && !cached.contains(block)) {
      MemoryBlock copy = allocate(end - start);
      try {
        copy.buffer().put(0, memory.buffer(), start, end - start);
        cached.offer(block, copy);
      } finally {
        copy.release();
      }
    }
  }

  private MemoryBlock read(int block) {
    MemoryBlock memory = read(block, block + 1);
    try {
      int start = index().offset(block) - index().pageStart(block);
      if (check(block, memory.buffer(), start)) {
        memory.holds(start, start + index().bytes(block) - StoredBlock.BYTES);
        return memory;
      }
      MemoryBlock decoded = decode(block, memory.buffer(), start);
      memory.release();
      return decoded;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  private MemoryBlock read(int from, int to) {
    MemoryBlock memory = MemoryBlock.allocate(pageBytes(from, to));
    try {
      meter.read(source, memory.buffer(), index().pageStart(from));
      return memory;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  /** Size of all pages of successive blocks. */
  private int pageBytes(int from, int to) {
    return index().end(to - 1) - index().pageStart(from);
  }

  @Override
  boolean isInMemory(int block) {
    return cached.contains(block);
  }

  @Override
  public void close() {
    cached.clear();
    source.close();
  }
}
