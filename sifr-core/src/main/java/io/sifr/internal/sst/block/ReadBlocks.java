package io.sifr.internal.sst.block;

import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.cache.ReadAheadMemory;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.ReadMeter;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.IndexTop.SstIndex;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Blocks read by position, one read per block, into the store's own memory; the cache keeps those
 * used most. A block is checked when it has been read, and decoded if it is encoded.
 */
public final class ReadBlocks extends Blocks {
  private final RandomReadFile source;
  private final ReadMeter meter;

  /** The file, never read through it: what is announced to the system is a part of a mapping. */
  private final @Nullable MappedRegion toAnnounce;

  public ReadBlocks(Path file, RandomReadFile source, ReadMeter meter) {
    this(file, source, meter, null);
  }

  /**
   * Blocks of a file.
   *
   * @param toAnnounce a mapping of it, closed with this; null when no reads are announced
   */
  ReadBlocks(Path file, RandomReadFile source, ReadMeter meter, @Nullable MappedRegion toAnnounce) {
    super(file, false);
    this.source = source;
    this.meter = meter;
    this.toAnnounce = toAnnounce;
  }

  @Override
  void announce(int from, int length) {
    if (toAnnounce != null) {
      toAnnounce.announce(from, length);
    }
  }

  @Override
  public ByteBuffer read(long from, long to) {
    MemoryBlock pages = fill(MemoryBlock.allocate((int) (to - from)), (int) from, false);
    try {
      byte[] copy = new byte[pages.bytes()];
      pages.buffer().get(0, copy);
      return ByteBuffer.wrap(copy);
    } finally {
      pages.release();
    }
  }

  @Override
  public void show(IndexPart part, int block, BlockView view) {
    ReadAhead ahead = view.readAhead();
    if (ahead == null || !showReadAhead(part, block, view, ahead)) {
      CachedTable.Blocks cached = part.table();
      MemoryBlock memory = cached.acquire(block);
      if (memory == null) {
        memory = readOne(view.tail().decoder(), part, block);
        cached.offer(block, memory);
      }
      view.set(part, block, memory);
    }
  }

  /** Shows a block from the read-ahead of an iterator, if it reads ahead. */
  private boolean showReadAhead(IndexPart part, int block, BlockView view, ReadAhead ahead) {
    ahead.enters(part.firstBlock() + block);
    ReadAhead.Pages pages = ahead.holding(part, block);
    if (pages == null && !(ahead.usesCache() && part.table().contains(block))) {
      pages = readAhead(part, block, view.tail().top().parts(), ahead);
    }
    if (pages == null || !pages.memory().tryRetain()) {
      return false;
    }
    MemoryBlock memory = pages.memory();
    StoredBlock.Decoder decoder = view.tail().decoder();
    try {
      int start = pages.start(block);
      if (check(decoder, part, block, memory.buffer(), start)) {
        int end = start + part.bytes(block) - StoredBlock.BYTES;
        if (ahead.isShort()) {
          offerCopy(part.table(), block, memory, start, end);
        }
        view.set(part, block, memory.buffer(), start, end, memory);
        return true;
      }
      MemoryBlock decoded = decode(decoder, part, block, memory.buffer(), start);
      if (ahead.isShort()) {
        part.table().offer(block, decoded);
      }
      view.set(part, block, decoded);
      memory.release();
      return true;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  /**
   * Reads a block and those after it in the direction of iteration, as many as the iterator wants,
   * and starts reading the next ones in the background if it is likely to need them. A read ends
   * where the part of the index ends.
   *
   * @return what holds the block; null when it is to be read alone, through the cache
   */
  private ReadAhead.@Nullable Pages readAhead(
      IndexPart part, int block, int parts, ReadAhead ahead) {
    ReadAhead.Pages pages = ahead.keepBackgroundRead(part, block);
    if (pages == null) {
      int last = lastAtOnce(part, block, ahead.isBackwards(), ahead.pages());
      if (last == block && ahead.usesCache()) {
        return null;
      }
      pages = read(part, block, last, ahead.memory(), ahead.mayEndWith(part, block));
      ahead.keep(pages);
    }
    if (ahead.wantsHelp()) {
      readNext(pages, parts, ahead);
    }
    return pages;
  }

  private void readNext(ReadAhead.Pages held, int parts, ReadAhead ahead) {
    boolean backwards = ahead.isBackwards();
    int most = ahead.pages();
    ReadAheadMemory memory = ahead.memory();
    IndexPart part = held.part();
    int first = backwards ? held.from() - 1 : held.to();
    if (first < 0 || first == part.blocks()) {
      int number = part.number() + (backwards ? -1 : 1);
      part = number < 0 || number == parts ? null : ahead.parts().inMemory(number);
      if (part != null) {
        first = end(part, !backwards);
      } else if (number >= 0 && number < parts) {
        SstIndex.Parts index = ahead.parts();
        ahead.begin(
            new ReadAhead.InBackground(
                number, () -> readEnd(index.part(number), backwards, most, memory)));
      }
    }
    if (part != null && !(ahead.usesCache() && part.table().contains(first))) {
      IndexPart next = part;
      int from = first;
      int last = lastAtOnce(part, first, backwards, most);
      ahead.begin(
          new ReadAhead.InBackground(
              part, from, last, () -> read(next, from, last, memory, false)));
    }
  }

  /** Reads the blocks with which an iterator enters a part. */
  private ReadAhead.Pages readEnd(
      IndexPart part, boolean backwards, int pages, ReadAheadMemory memory) {
    int first = end(part, !backwards);
    return read(part, first, lastAtOnce(part, first, backwards, pages), memory, false);
  }

  private static int end(IndexPart part, boolean first) {
    return first ? 0 : part.blocks() - 1;
  }

  /** The last block, in the direction of iteration, of those that are read at once. */
  private static int lastAtOnce(IndexPart part, int first, boolean backwards, int pages) {
    int most = pages * SstFormat.PAGE_BYTES;
    int step = backwards ? -1 : 1;
    int last = first;
    for (int next = first + step;
        next >= 0
            && next < part.blocks()
            && part.end(Math.max(first, next)) - part.pageStart(Math.min(first, next)) <= most;
        next += step) {
      last = next;
    }
    return last;
  }

  /**
   * Caches a block that a short scan has read ahead: the same short ranges may be read again. The
   * block is copied, or it would keep in memory all that was read with it.
   */
  private static void offerCopy(
      CachedTable.Blocks cached, int block, MemoryBlock memory, int start, int end) {
    if (cached.wants(block, end - start)) {
      MemoryBlock copy = allocate(end - start);
      try {
        copy.buffer().put(0, memory.buffer(), start, end - start);
        cached.keep(block, copy);
      } finally {
        copy.release();
      }
    }
  }

  private MemoryBlock readOne(StoredBlock.Decoder decoder, IndexPart part, int block) {
    ReadAhead.Pages pages = read(part, block, block, null, false);
    MemoryBlock memory = pages.memory();
    try {
      int start = pages.start(block);
      if (check(decoder, part, block, memory.buffer(), start)) {
        memory.holds(start, start + part.bytes(block) - StoredBlock.BYTES);
        return memory;
      }
      MemoryBlock decoded = decode(decoder, part, block, memory.buffer(), start);
      memory.release();
      return decoded;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  /**
   * Reads successive blocks, given by the first and the last one in any order.
   *
   * @param charged what their memory is charged to; null for a block that the cache may keep
   * @param mayEnd whether they follow others that were read, and may be the last ones
   */
  private ReadAhead.Pages read(
      IndexPart part, int oneEnd, int otherEnd, @Nullable ReadAheadMemory charged, boolean mayEnd) {
    int from = Math.min(oneEnd, otherEnd);
    int last = Math.max(oneEnd, otherEnd);
    int start = part.pageStart(from);
    int bytes = part.end(last) - start;
    MemoryBlock memory =
        charged == null ? MemoryBlock.allocate(bytes) : MemoryBlock.allocate(bytes, charged);
    return new ReadAhead.Pages(fill(memory, start, mayEnd), part, from, last + 1);
  }

  /** Reads pages into memory, which is released if that fails. */
  private MemoryBlock fill(MemoryBlock memory, int offset, boolean mayEnd) {
    try {
      if (mayEnd) {
        meter.readNext(source, memory.buffer(), offset);
      } else {
        meter.read(source, memory.buffer(), offset);
      }
      return memory;
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  @Override
  void close() {
    Failures failures = new Failures();
    failures.collect(source::close);
    if (toAnnounce != null) {
      failures.collect(toAnnounce::close);
    }
    failures.throwFirst();
  }
}
