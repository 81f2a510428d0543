package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.SeekTarget;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An open SST. The index is on the heap; the blocks are in a mapping of the file or in memory that
 * {@link SstAccess} provides. Safe for any thread. Neither the reader nor a {@link Lookup} from it
 * may be used after it is closed; its iterators may, and keep the file open.
 */
public final class SstReader implements AutoCloseable {
  private final SstAccess access;
  private final SstTail tail;
  private final FenceIndex index;

  // One of them is set, and both after the store has changed from mapping to reading.
  private final @Nullable MappedBlocks mapped;
  private volatile @Nullable ReadBlocks read;

  /** Reference count: the opener and the iterators. Once it is 0, it never rises again. */
  private final AtomicInteger users = new AtomicInteger(1);

  private final AtomicBoolean closed = new AtomicBoolean();

  private SstReader(SstAccess access, SstTail tail, @Nullable MappedRegion region) {
    this.access = access;
    this.tail = tail;
    this.index = tail.index();
    this.mapped = region == null ? null : new MappedBlocks(region, access.cache(), tail);
  }

  /**
   * Opens an SST that the manifest lists.
   *
   * @throws CorruptionException when the file is not that SST, or its footer, index or properties
   *     are damaged
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   */
  public static SstReader open(SstAccess access, SstMeta meta) {
    Path file = access.path(meta.number());
    long size = size(access.fileSystem(), file);
    if (size != meta.fileBytes()) {
      throw new CorruptionException(
          file, 0, "the file has " + size + " bytes, the manifest says " + meta.fileBytes());
    }
    SstReader reader = open(access, meta.number(), meta.baseSequence());
    try {
      reader.requireSame(meta);
      return reader;
    } catch (Throwable e) {
      reader.close();
      throw e;
    }
  }

  private static long size(StoreFileSystem fs, Path file) {
    try {
      return fs.size(file);
    } catch (StoreIoException e) {
      if (!fs.exists(file)) {
        throw new CorruptionException(file, 0, "the file is missing");
      }
      throw e;
    }
  }

  /**
   * Opens an SST of which only the number is known.
   *
   * @throws CorruptionException when the footer, index or properties are damaged
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   */
  public static SstReader open(SstAccess access, long number) {
    return open(access, number, 0);
  }

  private static SstReader open(SstAccess access, long number, long base) {
    return access.maps() ? map(access, number, base) : openToRead(access, number, base);
  }

  private static SstReader map(SstAccess access, long number, long base) {
    Path file = access.path(number);
    long size = access.fileSystem().size(file);
    SstTail.checkSize(file, size);
    MappedRegion region = access.fileSystem().mapForRead(file, size);
    try {
      SstTail.Source source = (from, to) -> MappedBlocks.copyOf(file, region, from, to);
      SstTail tail = SstTail.read(file, size, source, access.codecs(), number, base);
      return new SstReader(access, tail, region);
    } catch (Throwable e) {
      region.close();
      throw e;
    }
  }

  private static SstReader openToRead(SstAccess access, long number, long base) {
    Path path = access.path(number);
    RandomReadFile file = access.openToRead(path);
    try {
      SstTail.checkSize(path, file.size());
      SstTail.Source source = SstTail.source(file, access.meter());
      SstTail tail = SstTail.read(path, file.size(), source, access.codecs(), number, base);
      SstReader reader = new SstReader(access, tail, null);
      reader.read = reader.readBlocks(file);
      return reader;
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  private ReadBlocks readBlocks(RandomReadFile source) {
    return new ReadBlocks(source, access, tail);
  }

  /** The blocks, for random access. */
  private Blocks blocks() {
    MappedBlocks mapping = mapped;
    if (mapping != null && access.maps()) {
      return mapping;
    }
    ReadBlocks reading = read;
    return reading != null ? reading : beginToRead();
  }

  private synchronized Blocks beginToRead() {
    ReadBlocks reading = read;
    if (reading == null) {
      reading = readBlocks(access.openToRead(tail.file()));
      read = reading;
    }
    return reading;
  }

  /** The blocks, for reading them all: the kernel may read ahead. */
  private Blocks allBlocks() {
    MappedBlocks mapping = mapped;
    return mapping != null ? mapping : blocks();
  }

  /** The SST's properties. */
  public SstMeta meta() {
    return tail.toMeta();
  }

  /** Everything that follows the blocks. */
  SstTail tail() {
    return tail;
  }

  private void requireSame(SstMeta expected) {
    SstMeta actual = meta();
    require("unique id", actual.uniqueId(), expected.uniqueId());
    require("number of entries", actual.entries(), expected.entries());
    require("number of tombstones", actual.tombstones(), expected.tombstones());
    require("bytes of keys and values", actual.rawBytes(), expected.rawBytes());
    require("smallest sequence number", actual.minSequence(), expected.minSequence());
    require("largest sequence number", actual.maxSequence(), expected.maxSequence());
    if (!Arrays.equals(actual.smallestKey(), expected.smallestKey())
        || !Arrays.equals(actual.largestKey(), expected.largestKey())) {
      throw new CorruptionException(
          tail.file(),
          tail.footer().propertiesOffset(),
          "the keys' range is not that of the manifest");
    }
  }

  private void require(String what, long actual, long expected) {
    if (actual != expected) {
      throw new CorruptionException(
          tail.file(),
          tail.footer().propertiesOffset(),
          what + " is " + actual + ", the manifest says " + expected);
    }
  }

  /** The block to give to {@link #getFrom}; found without I/O. */
  public int find(byte[] key, int offset, int length, long sequence) {
    return index.find(key, offset, length, sequence);
  }

  /** Whether a block can be searched without I/O, as far as is known. */
  public boolean isInMemory(int block) {
    if (mapped != null && access.maps()) {
      return mapped.isInMemory(block);
    }
    ReadBlocks reading = read;
    return reading != null && reading.isInMemory(block);
  }

  /** Whether an iterator can seek to the target without I/O, as far as is known. */
  boolean isInMemory(SeekTarget to) {
    if (mapped != null && access.maps()) {
      return true; // not worth a lookup
    }
    return isInMemory(
        switch (to.kind()) {
          case FIRST -> 0;
          case LAST -> index.blocks() - 1;
          case AT_KEY, BEFORE_KEY -> find(to.key(), to.offset(), to.length(), to.sequence());
        });
  }

  /**
   * Finds the newest version of a user key that a reader at {@code sequence} may see; a tombstone
   * is found like a value. Allocates nothing.
   *
   * @param block from {@link #find}: no other block can hold it
   * @param into receives the answer; unchanged when there is none
   * @return whether there is one
   * @throws CorruptionException when the block is damaged
   */
  public boolean getFrom(
      int block, byte[] key, int offset, int length, long sequence, Lookup into) {
    Blocks blocks = blocks();
    BlockView view = new BlockView(access.kinds(), blocks);
    view.show(block);
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
      Blocks blocks,
      BlockView view,
      byte[] key,
      int offset,
      int length,
      long sequence,
      Lookup into) {
    if (!view.isInPlace()) {
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
    } catch (InternalError e) {
      throw view.unreadable(e);
    }
  }

  /** The share of blocks that may hold keys from {@code smallest} to {@code largest}, 0 to 1. */
  double shareBetween(byte[] smallest, byte[] largest) {
    int first = index.find(smallest, 0, smallest.length, Long.MAX_VALUE);
    int last = index.find(largest, 0, largest.length, 0);
    return (last - first + 1.0) / index.blocks();
  }

  /** An iterator over all entries, for a user's scan. It keeps the file open until it is closed. */
  public EntryIterator iterator() {
    return iterator(ReadAheadPolicy.GROWING, ReadHelper.NONE);
  }

  /** An iterator for reading all entries, or most. */
  public EntryIterator fullIterator() {
    return iterator(ReadAheadPolicy.FULL, ReadHelper.NONE);
  }

  /**
   * An iterator over all entries. It keeps the file open until it is closed.
   *
   * @param policy how much to read at once
   * @param helper reads ahead for a long scan
   */
  SstIterator iterator(ReadAheadPolicy policy, ReadHelper helper) {
    if (!tryRetain()) {
      throw new IllegalStateException(tail.file() + " is closed");
    }
    return new SstIterator(
        new BlockView(
            access.kinds(),
            policy == ReadAheadPolicy.FULL ? allBlocks() : blocks(),
            policy,
            helper),
        index,
        this::release);
  }

  /** Keeps it open until {@link #release}, unless it is closed already. */
  boolean tryRetain() {
    return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /** Drops a reference; the last one closes the file. */
  void release() {
    if (users.decrementAndGet() == 0) {
      closeFile();
    }
  }

  /**
   * Reads the whole file and checks every byte and every guarantee of the format: checksums,
   * padding, order of entries, fences, counts, first and last key. At memory speed when the file is
   * cached.
   *
   * @throws CorruptionException naming the offset of the first fault
   */
  public void verify() {
    MappedBlocks mapping = mapped;
    if (mapping != null) {
      // Read from the disk or not, a page may have changed since its block was checked.
      mapping.forgetChecks();
    }
    BlockView view =
        new BlockView(access.kinds(), allBlocks(), ReadAheadPolicy.FULL, ReadHelper.NONE);
    try {
      new SstVerifier(view, tail).verify();
    } finally {
      view.release();
    }
    long size = tail.footer().fileBytes();
    if (mapping != null) {
      verifyRest(size, mapping::copyOf);
    } else {
      try (RandomReadFile source = access.openToRead(tail.file())) {
        verifyRest(source.size(), SstTail.source(source, access.meter()));
      }
    }
  }

  /** Reads what precedes and follows the blocks. */
  private void verifyRest(long size, SstTail.Source source) {
    SstTail.read(tail.file(), size, source, access.codecs(), tail.number(), tail.baseSequence())
        .checkHeader(source.read(0, SstFormat.PAGE_BYTES));
  }

  /** Unmaps or closes the file once the last iterator is closed. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release();
    }
  }

  private void closeFile() {
    if (mapped != null) {
      mapped.close();
    }
    ReadBlocks reading = read;
    if (reading != null) {
      reading.close();
    }
  }
}
