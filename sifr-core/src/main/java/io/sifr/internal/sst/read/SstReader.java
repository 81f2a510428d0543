package io.sifr.internal.sst.read;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.sst.block.BlockSearch;
import io.sifr.internal.sst.block.BlockView;
import io.sifr.internal.sst.block.Blocks;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.block.SstFile;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.IndexTop.SstIndex;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstTail;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import java.util.function.ObjLongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads an SST: what stays in memory of it, the parts of its index and of its filter that the cache
 * keeps, and its {@link SstFile}, which may be closed and opened again meanwhile. Safe for any
 * thread. Neither the reader nor a {@link Lookup} from it may be used after it is closed; its
 * iterators may, and keep the file open.
 */
public final class SstReader implements AutoCloseable {
  /** Instead of a block: the part of the index that locates the block is not in memory. */
  public static final long NOT_IN_MEMORY = -1;

  /** What is read at once of the whole file. */
  private static final int READ_BYTES = 256 << 10;

  private final SstAccess access;
  private final SstTail tail;
  private final SstFile file;
  private final SstIndex index;
  private final @Nullable SstFilter filter;

  private SstReader(SstAccess access, SstTail tail, SstFile file) {
    this.access = access;
    this.tail = tail;
    this.file = file;
    this.index = new SstIndex(tail.top(), access.cache());
    this.filter = SstFilter.of(tail, file, access);
  }

  /**
   * Opens an SST that the manifest lists, to read the file itself and no copy of any part of it.
   *
   * @throws CorruptionException when the file is not that SST, or its footer, properties or the top
   *     of its index are damaged
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   */
  public static SstReader open(SstAccess access, SstMeta meta) {
    SstFile.Health health = new SstFile.Health(access.faults(), meta.number());
    SstReader reader = open(access, meta, file(access, meta, health, false));
    reader.opened();
    return reader;
  }

  /** As above, of an SST of a store; {@link #opened} is to be called next. */
  static SstReader open(SstAccess access, SstMeta meta, SstFile.Health health) {
    return open(access, meta, file(access, meta, health, true));
  }

  private static SstFile file(
      SstAccess access, SstMeta meta, SstFile.Health health, boolean mayUseCopy) {
    return new SstFile(access, access.path(meta.number()), meta.fileBytes(), health, mayUseCopy);
  }

  private static SstReader open(SstAccess access, SstMeta meta, SstFile file) {
    SstReader reader = open(access, file, meta.number(), meta.baseSequence());
    try {
      reader.tail.requireIs(meta);
      return reader;
    } catch (Throwable e) {
      reader.close();
      throw e;
    }
  }

  /**
   * Opens an SST of which only the number is known.
   *
   * @throws CorruptionException when footer, properties or the top of the index are damaged
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   */
  public static SstReader open(SstAccess access, long number) {
    Path path = access.path(number);
    SstFile.Health health = new SstFile.Health(access.faults(), number);
    long bytes = access.fileSystem().size(path);
    SstReader reader = open(access, new SstFile(access, path, bytes, health, false), number, 0);
    reader.opened();
    return reader;
  }

  private static SstReader open(SstAccess access, SstFile file, long number, long base) {
    try {
      Path path = access.path(number);
      SstTail tail = access.readTail(path, number, file.bytes(), file.openFirst(), base);
      return new SstReader(access, tail, file);
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  /** Counts the file among those that are open. The caller holds no lock: others may be closed. */
  void opened() {
    file.opened();
  }

  /** Opens the file if it is closed, to see whether that is possible. */
  void requireUsable() {
    file.inUse().leave();
  }

  /** The SST's properties. */
  public SstMeta meta() {
    return tail.toMeta();
  }

  /** Whether the file is encrypted. */
  public boolean isEncrypted() {
    return tail.footer().cipher() != null;
  }

  /** The range tombstones; null for none. */
  public @Nullable RangeTombstones rangeTombstones() {
    return tail.properties().rangeTombstones();
  }

  /** Everything that follows the blocks. */
  public SstTail tail() {
    return tail;
  }

  /**
   * Returns false only when the SST certainly does not hold the key with that {@link
   * io.sifr.internal.filter.KeyHash}. A page of the filter that is not in memory is read. The
   * caller is in a read epoch.
   */
  public boolean mayHold(long hash) {
    SstFilter asked = filter;
    return asked == null || asked.mayHold(hash);
  }

  /** The filter; null when there is none. */
  @Nullable SstFilter filter() {
    return filter;
  }

  /** Whether {@link #mayHold} can answer without I/O. */
  public boolean hasFilterInMemory(long hash) {
    SstFilter asked = filter;
    return asked == null || asked.isInMemory(hash);
  }

  /** Counts a false positive: the SST did not hold a key although {@link #mayHold} was true. */
  public void missed() {
    SstFilter asked = filter;
    if (asked != null) {
      asked.missed();
    }
  }

  /**
   * The block to give to {@link #getFrom}, or {@link #NOT_IN_MEMORY}; found without I/O. The caller
   * is in a read epoch.
   */
  public long find(byte[] key, int offset, int length, long sequence) {
    int number = index.find(key, offset, length, sequence);
    IndexPart part = index.use(number);
    if (part == null) {
      part = partOfMapping(number);
    }
    return part == null
        ? NOT_IN_MEMORY
        : (long) number << Integer.SIZE | part.find(key, offset, length, sequence);
  }

  /**
   * Reads a part of the index if it is in memory with its pages of a mapping, as far as is known;
   * else null. Also null when it is damaged, which the search of the block will say.
   */
  private @Nullable IndexPart partOfMapping(int number) {
    Blocks mapped = file.openMapping();
    if (mapped == null || !(isTakenForWarm() || isInMemory(mapped, number))) {
      return null;
    }
    try {
      return index.part(number, mapped);
    } catch (SifrException e) {
      return null;
    }
  }

  private boolean isInMemory(Blocks mapped, int part) {
    int from = tail.top().offset(part);
    boolean isInMemory = mapped.isInMemory(from, tail.top().offset(part + 1) - from);
    access.coldPages().answered(!isInMemory);
    return isInMemory;
  }

  /** Whether a block can be searched without I/O, as far as is known. The caller is in an epoch. */
  public boolean isInMemory(long block) {
    IndexPart part = partOf(block);
    return part != null && (isTakenForWarm() || isInMemory(part, (int) block));
  }

  private @Nullable IndexPart partOf(long block) {
    return block == NOT_IN_MEMORY ? null : index.get((int) (block >>> Integer.SIZE));
  }

  /** As long as nearly all blocks of mappings are in memory, hardly any is asked about. */
  private boolean isTakenForWarm() {
    return access.maps() && !access.coldPages().isAsked();
  }

  private boolean isInMemory(IndexPart part, int block) {
    boolean isCached = part.table().contains(block);
    if (!access.maps()) {
      return isCached;
    }
    boolean isInMemory = isCached || file.isInMemory(part, block);
    access.coldPages().answered(!isInMemory);
    return isInMemory;
  }

  /**
   * Has the system begin to read a block. The caller is in an epoch.
   *
   * @return false when it is not known which bytes that are
   */
  public boolean announce(long block) {
    IndexPart part = partOf(block);
    if (part != null) {
      file.announce(part, (int) block);
    }
    return part != null;
  }

  /** Whether it is read through a mapping, if it has one. */
  boolean isMapped() {
    return access.maps();
  }

  /** Whether an iterator can seek to the target without I/O, as far as is known. */
  boolean isInMemory(EntryIterator.Target to) {
    if (isTakenForWarm()) {
      // What is in the part is searched once, by the seek.
      return index.get(findPart(to)) != null || file.openMapping() != null;
    }
    long block = find(to);
    IndexPart part = partOf(block);
    return part != null && isInMemory(part, (int) block);
  }

  /** As {@link #announce(long)}, the block that an iterator needs to seek to the target. */
  boolean announce(EntryIterator.Target to) {
    return announce(find(to));
  }

  private int findPart(EntryIterator.Target to) {
    return switch (to.kind()) {
      case FIRST -> 0;
      case LAST -> index.parts() - 1;
      case AT_KEY, BEFORE_KEY -> index.find(to.key(), to.offset(), to.length(), to.sequence());
    };
  }

  private long find(EntryIterator.Target to) {
    return switch (to.kind()) {
      case FIRST -> 0;
      case LAST -> last();
      case AT_KEY, BEFORE_KEY -> find(to.key(), to.offset(), to.length(), to.sequence());
    };
  }

  private long last() {
    int number = index.parts() - 1;
    IndexPart part = index.get(number);
    return part == null ? NOT_IN_MEMORY : (long) number << Integer.SIZE | part.blocks() - 1;
  }

  /**
   * Finds the newest version of a user key that a reader at {@code sequence} may see; a tombstone
   * is found like a value. Allocates nothing, unless something has to be read. The caller is in a
   * read epoch.
   *
   * @param block from {@link #find}: no other block can hold it
   * @param into receives the answer; unchanged when there is none
   * @return whether there is one
   * @throws CorruptionException when the block, or the part of the index that locates it, is
   *     damaged
   */
  public boolean getFrom(
      long block, byte[] key, int offset, int length, long sequence, Lookup into) {
    IndexPart part = partOf(block);
    int number = (int) block;
    if (part == null) {
      part = index.part(index.find(key, offset, length, sequence), file.blocks());
      number = part.find(key, offset, length, sequence);
    }
    MemoryBlock cached = access.maps() ? null : part.table().acquire(number);
    Blocks blocks = cached == null ? file.blocks() : null;
    BlockView view = new BlockView(tail, blocks, null);
    if (cached == null) {
      view.show(part, number);
    } else {
      view.set(part, number, cached);
    }
    boolean found = false;
    try {
      found = search(blocks, view, key, offset, length, sequence, into);
    } finally {
      if (view.holdsMemory()) {
        if (found) {
          into.hold(view);
        } else {
          view.release();
        }
      }
    }
    return found;
  }

  private static boolean search(
      @Nullable Blocks blocks,
      BlockView view,
      byte[] key,
      int offset,
      int length,
      long sequence,
      Lookup into) {
    if (blocks == null || !view.isInPlace()) {
      return BlockSearch.find(view, key, offset, length, sequence, into);
    }
    try {
      boolean found;
      try {
        found = BlockSearch.find(view, key, offset, length, sequence, into);
      } finally {
        blocks.searched(view); // the exception may be due to what could not be read
      }
      if (found) {
        blocks.found(into);
      }
      return found;
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw BlockView.failed(view, e);
    }
  }

  /** The share of blocks that may hold keys from {@code smallest} to {@code largest}, 0 to 1. */
  double shareBetween(byte[] smallest, byte[] largest) {
    Blocks through = file.inUse();
    try {
      int first = findThrough(through, smallest, Trailer.MAX_SEQUENCE);
      int last = findThrough(through, largest, 0);
      return (last - first + 1.0) / tail.footer().blocks();
    } finally {
      through.leave();
    }
  }

  /**
   * See {@link SstSlice#sample}.
   *
   * @param smallest the first key to pass
   */
  void sample(byte[] smallest, long stepBytes, ObjLongConsumer<byte[]> into) {
    Blocks through = file.inUse();
    try {
      byte[] first = smallest;
      long bytes = 0;
      for (int number = 0; number < index.parts(); number++) {
        IndexPart part = index.part(number, through);
        for (int block = 0; block < part.blocks(); block++) {
          if (bytes >= stepBytes) {
            into.accept(first, bytes);
            first = block > 0 ? part.fences().key(block - 1) : tail.top().fence(number);
            bytes = 0;
          }
          bytes += part.bytes(block);
        }
      }
      into.accept(first, bytes);
    } finally {
      through.leave();
    }
  }

  /** Number in the SST of the block that may hold a key. */
  private int findThrough(Blocks through, byte[] key, long sequence) {
    IndexPart part = index.part(index.find(key, 0, key.length, sequence), through);
    return part.firstBlock() + part.find(key, 0, key.length, sequence);
  }

  /** An iterator over all entries, for a user's scan. It keeps the file open until it is closed. */
  public EntryIterator iterator() {
    return iterator(ReadAhead.Policy.GROWING, ReadAhead.Helper.NONE);
  }

  /**
   * An iterator over all entries. It keeps the file open until it is closed.
   *
   * @param policy how much to read at once
   * @param helper reads ahead for a long scan
   */
  public SstIterator iterator(ReadAhead.Policy policy, ReadAhead.Helper helper) {
    Blocks through = file.inUse();
    SstIndex.Parts parts = index.through(through);
    return new SstIterator(
        new BlockView(tail, through, new ReadAhead(policy, helper, access.readAhead(), parts)),
        parts,
        through::leave);
  }

  /**
   * Reads the whole file and checks every byte and every guarantee of the format: checksums,
   * padding, order of entries, fences, filter, counts, first and last key. At memory speed when the
   * file is cached.
   *
   * @return a sample of the keys, if there is one entry of each
   * @throws CorruptionException naming the offset of the first fault
   */
  @CanIgnoreReturnValue
  public KeySketch verify() {
    Blocks through = file.inUse();
    ReadAhead ahead =
        new ReadAhead(
            ReadAhead.Policy.FULL,
            ReadAhead.Helper.NONE,
            access.readAhead(),
            index.through(through));
    BlockView view = new BlockView(tail, through, ahead);
    try {
      // A fault of the filter is reported last, because it costs no data.
      LongPredicate mayHold = hash -> true;
      CorruptionException faultOfFilter = null;
      try {
        mayHold = SstFilter.readAll(tail, through);
      } catch (CorruptionException e) {
        faultOfFilter = e;
      }
      KeySketch sketch =
          new SstVerifier(view, before -> partAfter(before, through), mayHold).verify();
      access
          .readTail(tail.file(), tail.number(), file.bytes(), through, tail.baseSequence())
          .checkHeader(through.read(0, SstFormat.PAGE_BYTES));
      if (faultOfFilter != null) {
        throw faultOfFilter;
      }
      return sketch;
    } finally {
      view.release();
      through.leave();
    }
  }

  /**
   * Reads the whole file and compares it with what was written to it. At memory speed when the file
   * is cached.
   *
   * @param checksum CRC32C of what was written
   * @throws CorruptionException naming the offset of the first fault if a checksum in the file
   *     tells it
   */
  public void requireContent(int checksum) {
    Blocks through = file.inUse();
    try {
      CRC32C crc = new CRC32C();
      for (long at = 0; at < file.bytes(); at += READ_BYTES) {
        crc.update(through.read(at, Math.min(file.bytes(), at + READ_BYTES)));
      }
      if ((int) crc.getValue() != checksum) {
        verify();
        throw new CorruptionException(
            tail.file(),
            0,
            "it is not what was written to it, although its own checksums are right");
      }
    } finally {
      through.leave();
    }
  }

  /**
   * Has what is in a mapping, blocks and pages of the filter, checked again when it is used next:
   * the file has changed.
   */
  public void distrust() {
    index.distrust();
    if (filter != null) {
      filter.distrust();
    }
  }

  /** Reads the last page of what ends there. */
  public ByteBuffer lastPage(long end) {
    Blocks through = file.inUse();
    try {
      return through.read(end - SstFormat.PAGE_BYTES, end);
    } finally {
      through.leave();
    }
  }

  /** Read from the disk, and without what is known of its blocks: a page may have changed since. */
  private IndexPart partAfter(@Nullable IndexPart before, Blocks through) {
    IndexPart part = tail.top().partAfter(before, through, access.cache());
    part.keepNothing();
    return part;
  }

  /** Drops what is in memory, and closes the file once the last iterator is closed. Idempotent. */
  @Override
  public void close() {
    index.close();
    if (filter != null) {
      filter.close();
    }
    access.cache().releaseEvicted();
    file.close();
  }
}
