package io.sifr.internal.sst;

import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.cache.BlockTable;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.io.RandomReadFile;
import java.nio.file.Path;

/**
 * Blocks read by position, one read for a block, into memory of the store's own; those used most
 * stay in the cache. A block is checked when it has been read.
 */
final class ReadBlocks extends Blocks {
  private final RandomReadFile source;
  private final ReadMeter meter;
  private final BlockTable cached;

  ReadBlocks(
      Path file,
      RandomReadFile source,
      ReadMeter meter,
      BlockTable cached,
      long uniqueId,
      FenceIndex index) {
    super(file, uniqueId, index);
    this.source = source;
    this.meter = meter;
    this.cached = cached;
  }

  @Override
  void show(int block, BlockView view) {
    ReadAhead ahead = view.readAhead();
    if (ahead == null || !showReadAhead(block, view, ahead)) {
      MemoryBlock memory = cached.acquire(block);
      if (memory == null) {
        memory = read(block);
        cached.offer(block, memory);
      }
      view.set(block, memory.buffer(), 0, bytes(block, block + 1), memory);
    }
  }

  /** Shows a block to a walk out of what it reads ahead, if it does. */
  private boolean showReadAhead(int block, BlockView view, ReadAhead ahead) {
    ahead.enters(block);
    if (ahead.holding(block) == null && !(ahead.usesCache() && cached.contains(block))) {
      readAhead(block, ahead);
    }
    MemoryBlock memory = ahead.holding(block);
    if (memory == null || !memory.tryRetain()) {
      return false;
    }
    int start = bytes(ahead.from(), block);
    try {
      check(block, memory.buffer(), start);
      if (ahead.isShort()) {
        offerCopy(block, memory, start);
      }
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
    view.set(block, memory.buffer(), start, start + bytes(block, block + 1), memory);
    return true;
  }

  /**
   * Gets a block and those behind it in the direction of the walk, if the walk wants more, and has
   * the next ones read meanwhile if it is likely to want those.
   */
  private void readAhead(int block, ReadAhead ahead) {
    if (!ahead.keepComing(block)) {
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
      ahead.begin(new ReadBeside(from, to, () -> read(from, to)));
    }
  }

  /** The last block, in the direction of the walk, of those that are read at once. */
  private int lastAtOnce(int first, ReadAhead ahead) {
    int most = ahead.pages() * SstFormat.PAGE_BYTES;
    int step = ahead.isBackwards() ? -1 : 1;
    int last = first;
    for (int next = first + step;
        next >= 0
            && next < index().blocks()
            && bytes(Math.min(first, next), Math.max(first, next) + 1) <= most;
        next += step) {
      last = next;
    }
    return last;
  }

  /**
   * Has the cache keep a block that a short walk has read ahead: the same short ranges may be asked
   * for again. It is copied, or it would hold all that was read with it.
   */
  private void offerCopy(int block, MemoryBlock memory, int start) {
    int bytes = bytes(block, block + 1);
    if (cached.takes(bytes) && !cached.contains(block)) {
      MemoryBlock copy = BlockMemory.allocate(bytes);
      try {
        copy.buffer().put(0, memory.buffer(), start, bytes);
        cached.offer(block, copy);
      } finally {
        copy.release();
      }
    }
  }

  private MemoryBlock read(int block) {
    MemoryBlock memory = read(block, block + 1);
    try {
      check(block, memory.buffer(), 0);
      return memory;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  private MemoryBlock read(int from, int to) {
    MemoryBlock memory = BlockMemory.allocate(bytes(from, to));
    try {
      meter.read(source, memory.buffer(), index().offset(from));
      return memory;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  private int bytes(int from, int to) {
    return index().offset(to) - index().offset(from);
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
