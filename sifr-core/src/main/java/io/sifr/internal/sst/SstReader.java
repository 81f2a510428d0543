package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * An open SST. The index lies on the heap, the blocks in a mapping of the file; a block is checked
 * when it is first used. Safe for any thread; nobody may use it, or an iterator or {@link Lookup}
 * from it, when it is closed.
 */
public final class SstReader implements AutoCloseable {
  private final Path file;
  private final SstTail tail;
  private final FenceIndex index;
  private final Blocks blocks;
  private final MappedRegion region;

  private SstReader(Path file, MappedRegion region, SstTail tail) {
    this.file = file;
    this.region = region;
    this.tail = tail;
    this.index = tail.index();
    this.blocks = new Blocks(file, region, tail.header().uniqueId(), index);
  }

  /**
   * Opens the SST that the manifest tells of.
   *
   * @throws CorruptionException when the file is not that SST, or its header, footer, index or
   *     properties are damaged
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   */
  public static SstReader open(StoreFileSystem fs, Path directory, SstMeta meta) {
    Path file = FileKind.SST.path(directory, meta.number());
    long size = fs.size(file);
    if (size != meta.fileBytes()) {
      throw new CorruptionException(
          file, 0, "the file has " + size + " bytes, the manifest says " + meta.fileBytes());
    }
    SstReader reader = open(fs, file, meta.number());
    try {
      reader.requireSame(meta);
      return reader;
    } catch (Throwable e) {
      reader.close();
      throw e;
    }
  }

  /**
   * Opens an SST by itself, for inspection and salvage.
   *
   * @param file an SST under the name the store gave it
   * @throws IllegalArgumentException when the name is not that of an SST
   * @throws CorruptionException when the header, footer, index or properties are damaged
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   */
  public static SstReader open(StoreFileSystem fs, Path file) {
    Path name = file.getFileName();
    long number =
        FileKind.SST
            .numberOf(name == null ? "" : name.toString())
            .orElseThrow(() -> new IllegalArgumentException(file + " is not the name of an SST"));
    return open(fs, file, number);
  }

  /** What a file tells of itself, see {@link #open(StoreFileSystem, Path)}. */
  public static SstMeta readMeta(StoreFileSystem fs, Path file) {
    try (SstReader reader = open(fs, file)) {
      return reader.meta();
    }
  }

  private static SstReader open(StoreFileSystem fs, Path file, long number) {
    long size = fs.size(file);
    SstTail.checkSize(file, size);
    MappedRegion region = fs.mapForRead(file, size);
    try {
      return new SstReader(file, region, SstTail.read(file, region.buffer(), number));
    } catch (Throwable e) {
      region.close();
      throw e;
    }
  }

  /** What the SST tells of itself. */
  public SstMeta meta() {
    return tail.toMeta();
  }

  /** Number of the database it was written for; 0 when it does not tell. */
  public int databaseId() {
    return tail.properties().databaseId();
  }

  /** Where its pieces lie. */
  public SstLayout layout() {
    Footer footer = tail.footer();
    return new SstLayout(
        footer.blocks(),
        footer.indexOffset(),
        footer.indexLength(),
        footer.propertiesOffset(),
        footer.propertiesLength(),
        tail.properties().restartInterval(),
        footer.fileBytes() - Footer.BYTES,
        Footer.BYTES);
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
          file, tail.footer().propertiesOffset(), "the keys' range is not that of the manifest");
    }
  }

  private void require(String what, long actual, long expected) {
    if (actual != expected) {
      throw new CorruptionException(
          file,
          tail.footer().propertiesOffset(),
          what + " is " + actual + ", the manifest says " + expected);
    }
  }

  /**
   * Finds the newest version of a user key that a reader at {@code sequence} may see; a tombstone
   * is found like a value. Allocates nothing.
   *
   * @param into where the answer is put; unchanged when there is none
   * @return whether there is one
   * @throws CorruptionException when the block that may hold it is damaged
   */
  public boolean get(byte[] key, int offset, int length, long sequence, Lookup into) {
    int block = index.find(key, offset, length, sequence);
    return BlockSearch.find(blocks, block, key, offset, length, sequence, into);
  }

  /** What share of the blocks may hold keys from {@code smallest} to {@code largest}, 0 to 1. */
  double shareBetween(byte[] smallest, byte[] largest) {
    int first = index.find(smallest, 0, smallest.length, Long.MAX_VALUE);
    int last = index.find(largest, 0, largest.length, 0);
    return (last - first + 1.0) / index.blocks();
  }

  /** A walk over all entries. The reader has to stay open as long as it is used. */
  public EntryIterator iterator() {
    return new SstIterator(blocks, index, 0, index.blocks() - 1);
  }

  /** A walk over the entries of one block, for inspection. */
  public EntryIterator entriesOfBlock(int block) {
    if (block < 0 || block >= index.blocks()) {
      throw new IllegalArgumentException(
          "block is " + block + "; allowed: 0 to " + (index.blocks() - 1));
    }
    return new SstIterator(blocks, index, block, block);
  }

  /**
   * Tells of each block in order, for inspection. Blocks before a damaged one are told of.
   *
   * @throws CorruptionException at a damaged block
   */
  public void forEachBlock(Consumer<BlockInfo> consumer) {
    for (int block = 0; block < index.blocks(); block++) {
      try (EntryIterator iterator = entriesOfBlock(block)) {
        iterator.seekToFirst();
        byte[] firstKey =
            Arrays.copyOfRange(
                iterator.keyArray(),
                iterator.keyOffset(),
                iterator.keyOffset() + iterator.keyLength());
        long entries = 1;
        while (iterator.next()) {
          entries++;
        }
        consumer.accept(
            new BlockInfo(block, index.offset(block), index.pages(block), entries, firstKey));
      }
    }
  }

  /** Is shown the entries of a block. */
  public interface EntryVisitor {
    /**
     * One entry.
     *
     * @param offset where in the file it begins
     * @param bytes bytes it takes there
     * @param at a walk that stands on it, not to be moved
     */
    void entry(long offset, int bytes, EntryIterator at);
  }

  /**
   * Shows the entries of one block in order, for inspection.
   *
   * @param block its place among the blocks
   * @throws CorruptionException when the block is damaged
   */
  public void forEachEntry(int block, EntryVisitor visitor) {
    SstIterator iterator = new SstIterator(blocks, index, block, block);
    for (boolean valid = iterator.seekToFirst(); valid; valid = iterator.next()) {
      visitor.entry(iterator.entryOffset(), iterator.entryBytes(), iterator);
    }
  }

  /**
   * Reads the whole file and checks every byte and every promise of the format: checksums, padding,
   * order of entries, fences, counts, first and last key. At memory speed when the file is cached.
   *
   * @throws CorruptionException naming the offset of the first fault
   */
  public void verify() {
    new SstVerifier(file, blocks, tail).verify();
    SstTail.read(file, region.buffer(), tail.header().number());
  }

  /** Unmaps the file. It can be called more than once. */
  @Override
  public void close() {
    blocks.close();
  }
}
